import { Fault } from '@lettergate/fault'
import { parseEmailAddress } from '@lettergate/values/email-address'

export interface SenderAddress {
  /** as it is stored: the local part unchanged, the domain in canonical form */
  readonly text: string
  readonly domain: string
}

/** An address for a header. It must not contain %, which starts a template variable at the provider, also in headers. */
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

/** Refuses a from-address whose domain is not exactly the sending domain. */
export function requireOwnAddress(from: SenderAddress, domainName: string): void {
  if (from.domain !== domainName)
    throw new Fault('invalid_argument', 'from_address', `from_address must end in @${domainName}, the sending domain.`)
}
