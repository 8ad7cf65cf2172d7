import { Migration } from '@mikro-orm/migrations'

/** Imports are stopped through an epoch: a failed one is continued by a later worker, and the batches of earlier ones stay stopped. */
export class EpochsOfStoppedImports extends Migration {
  override up(): void {
    this.addSql(`alter table stopped_imports alter column stopped_through type integer`)
  }
}
