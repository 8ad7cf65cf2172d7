import { Migration } from '@mikro-orm/migrations'

/**
 * A resend may claim the minimum interval of a message that is unknown. The claim of that message is kept beside it, so that
 * it counts again if the call of the resend does not happen.
 */
export class ResendsWithinTheInterval extends Migration {
  override up(): void {
    this.addSql(`alter table interval_claims
      add column replaced_hand_off_id uuid,
      add column replaced_claimed_at timestamptz,
      add check ((replaced_hand_off_id is null) = (replaced_claimed_at is null))`)
  }
}
