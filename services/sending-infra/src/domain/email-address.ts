import { Fault } from '@lettergate/fault'
import { parseEmailAddress } from '@lettergate/values/email-address'

export interface SenderAddress {
  /** as it is stored: the local part as typed, the domain in its one spelling */
  readonly text: string
  readonly domain: string
}

/** An address for a header of ours: without %, which begins a variable of the provider's templates, headers included. */
export function parseSenderAddress(given: string, field: string): SenderAddress {
  const { local, domain } = parseEmailAddress(field, given)
  if (local.includes('%')) {
    throw new Fault(
      'invalid_argument',
      field,
      `${field} must not contain %. Use an address such as news@mail.example.com.`,
    )
  }
  return { text: `${local}@${domain}`, domain }
}

/** Refuses a from-address that is not of its sending domain itself: one of a name below or beside it is another's. */
export function requireOwnAddress(from: SenderAddress, domainName: string): void {
  if (from.domain !== domainName)
    throw new Fault('invalid_argument', 'from_address', `from_address must end in @${domainName}, the sending domain.`)
}
