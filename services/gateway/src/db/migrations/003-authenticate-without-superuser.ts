import { Migration } from '@mikro-orm/migrations'
import { principalOf } from './principal-of.ts'

/** The function that names the caller is one that a role without special rights can create. */
export class AuthenticateWithoutSuperuser extends Migration {
  override up(): void {
    this.addSql(principalOf)
  }
}
