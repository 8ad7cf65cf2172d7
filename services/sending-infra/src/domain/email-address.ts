import { Fault } from '@lettergate/fault'
import { normalizeHost } from './domain-name.ts'

export interface EmailAddress {
  /** as it is stored: the local part as typed, the domain in its one spelling */
  readonly text: string
  readonly domain: string
}

// without %, which begins a variable of the provider's templates, headers included
const localPart = /^[a-z0-9!#$&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$&'*+/=?^_`{|}~-]+)*$/i

/** An address a mailbox provider will accept in a header: an unquoted ASCII local part of at most 64 characters, 254 in all. */
export function parseEmailAddress(text: string, field: string): EmailAddress {
  const trimmed = text.trim()
  const at = trimmed.lastIndexOf('@')
  const local = trimmed.slice(0, Math.max(at, 0))
  const domain = trimmed.length > 1_000 ? undefined : normalizeHost(trimmed.slice(at + 1))
  if (
    !localPart.test(local) ||
    local.length > 64 ||
    domain === undefined ||
    !domain.includes('.') ||
    trimmed.endsWith('.')
  ) {
    throw new Fault('invalid_argument', field, `${field} must be an email address, such as news@mail.example.com.`)
  }
  if (local.length + 1 + domain.length > 254)
    throw new Fault('invalid_argument', field, `${field} must have at most 254 characters.`)
  return { text: `${local}@${domain}`, domain }
}

/** Refuses a from-address that is not of its sending domain itself: one of a name below or beside it is another's. */
export function requireOwnAddress(from: EmailAddress, domainName: string): void {
  if (from.domain !== domainName)
    throw new Fault('invalid_argument', 'from_address', `from_address must end in @${domainName}, the sending domain.`)
}
