import { domainToASCII } from 'node:url'

/** Who may receive test messages: whole addresses, and every address of a domain. Nobody else may. */
export interface Allowlist {
  readonly addresses: ReadonlySet<string>
  readonly domains: ReadonlySet<string>
}

/** Reads addresses and `@domain` entries. Throws an Error naming the entry that is neither. */
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

/** Whether a normalized address may receive test messages. A domain stands for itself, not for what is below it. */
export const isAllowed = ({ addresses, domains }: Allowlist, normalizedEmail: string): boolean =>
  addresses.has(normalizedEmail) || domains.has(normalizedEmail.slice(normalizedEmail.lastIndexOf('@') + 1))
