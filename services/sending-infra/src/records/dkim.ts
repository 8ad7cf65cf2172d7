import { createPublicKey } from 'node:crypto'
import { failed, pending, verified, type DnsAnswer, type Finding } from './dns-answer.ts'

const rsaBitsMin = 1_024

/** The tags of a DKIM key record (RFC 6376 section 3.2) without folding white space, or undefined if it is not one. */
function tagsOf(record: string): Map<string, string> | undefined {
  const tags = new Map<string, string>()
  for (const part of record.split(';')) {
    if (part.trim() === '') continue
    const at = part.indexOf('=')
    const name = part.slice(0, Math.max(at, 0)).trim()
    if (name === '' || tags.has(name)) return undefined
    const value = part.slice(at + 1).trim()
    tags.set(name, name === 'p' ? value.replaceAll(/\s+/g, '') : value)
  }
  return tags.has('p') ? tags : undefined
}

const canonical = (tags: Map<string, string>) =>
  [...tags]
    .filter(([name, value]) => !(name === 'v' && value === 'DKIM1') && !(name === 'k' && value === 'rsa'))
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join(';')

/** The weakness of a public key, or undefined. */
function weakness(tags: Map<string, string>): string | undefined {
  const key = tags.get('p')!
  if (key === '') return 'The published DKIM key is revoked (its p= is empty).'
  if ((tags.get('k') ?? 'rsa') !== 'rsa') return undefined
  try {
    const bits =
      createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }).asymmetricKeyDetails
        ?.modulusLength ?? 0
    return bits < rsaBitsMin ? `The DKIM key has ${bits} bits; receivers ignore keys below ${rsaBitsMin}.` : undefined
  } catch {
    return 'The published DKIM key is not a readable RSA key.'
  }
}

/** Compares the published key with the provider's key. White space, tag order and default tags do not matter. */
export function compareDkimKey(expected: string, answer: DnsAnswer): Finding {
  if (answer.kind === 'no_answer')
    return pending(`The DNS did not answer for the DKIM record: ${answer.why}. Check again later.`)
  const wanted = tagsOf(expected)
  if (!wanted) return failed('The provider names no readable DKIM key for this domain.')
  const published = answer.kind === 'none' ? [] : answer.values.flatMap((value) => tagsOf(value) ?? [])
  if (published.length === 0) return failed('There is no DKIM record. Publish the one the provider shows.')
  if (published.length > 1) return failed('There is more than one DKIM record under this selector. Leave exactly one.')
  const weak = weakness(published[0]!)
  if (weak !== undefined) return failed(weak)
  return canonical(published[0]!) === canonical(wanted)
    ? verified("The DKIM record is the provider's.")
    : failed("The DKIM record is not the provider's. Publish the value the provider shows, in full.")
}

/** The same for providers that host the key and require a CNAME to it. */
export function compareDkimAlias(expected: string, answer: DnsAnswer): Finding {
  if (answer.kind === 'no_answer')
    return pending(`The DNS did not answer for the DKIM record: ${answer.why}. Check again later.`)
  const bare = (name: string) => name.toLowerCase().replace(/\.$/, '')
  const published = answer.kind === 'none' ? [] : answer.values.map(bare)
  return published.length === 1 && published[0] === bare(expected)
    ? verified("The DKIM alias points to the provider's key.")
    : failed("The DKIM alias does not point to the provider's key. Publish the CNAME the provider shows.")
}
