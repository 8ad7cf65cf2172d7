import { domainToASCII } from 'node:url'

/** The addresses and domains that may receive test messages. */
export interface Allowlist {
  readonly addresses: ReadonlySet<string>
  readonly domains: ReadonlySet<string>
}

/** Parses addresses and `@domain` entries. Throws an Error that names an invalid entry. */
export function parseAllowlist(entries: readonly string[]): Allowlist {
  const addresses = new Set<string>()
  const domains = new Set<string>()
  for (const entry of entries) {
    const at = entry.lastIndexOf('@')
    const domain = at < 0 ? '' : domainToASCII(entry.slice(at + 1))
    const name = entry.slice(0, Math.max(at, 0)).toLowerCase()
    if (domain === '' || /\s/.test(name))
      throw new Error(`must hold addresses or @domain entries, and ${entry} is neither`)
    if (name === '') domains.add(domain)
    else addresses.add(`${name}@${domain}`)
  }
  return { addresses, domains }
}

/** Whether a normalized address may receive test messages. A domain does not include its subdomains. */
export const isAllowed = ({ addresses, domains }: Allowlist, normalizedEmail: string): boolean =>
  addresses.has(normalizedEmail) || domains.has(normalizedEmail.slice(normalizedEmail.lastIndexOf('@') + 1))
