import { isNamedSecret } from '@lettergate/service/named-secrets'

/** Environment key to the slugs of the organizations that may name it; `*` is every organization. */
export type KeyOwners = ReadonlyMap<string, ReadonlySet<string>>

const everybody = '*'
const slug = /^[a-z0-9][a-z0-9-]*$/

/** Reads `KEY=organization organization` items; null when there are none. Throws an Error whose message completes "PROVIDER_KEY_OWNERS …". */
export function parseKeyOwners(items: readonly string[]): KeyOwners | null {
  if (items.length === 0) return null
  const owners = new Map<string, ReadonlySet<string>>()
  for (const item of items) {
    const [key = '', names = '', ...more] = item.split('=')
    const organizations = names.split(/\s+/).filter((name) => name !== '')
    const isReadable =
      more.length === 0 &&
      isNamedSecret(key) &&
      organizations.length > 0 &&
      organizations.every((name) => name === everybody || slug.test(name))
    if (!isReadable) throw new Error('must be a comma list of KEY=organization organization, or KEY=*')
    if (owners.has(key)) throw new Error(`names ${key} twice`)
    owners.set(key, new Set(organizations))
  }
  return owners
}

/** Whether an organization may name a key. A key that is not listed belongs to nobody. */
export function ownsKey(owners: KeyOwners, organization: string, key: string): boolean {
  const organizations = owners.get(key)
  return organizations !== undefined && (organizations.has(organization) || organizations.has(everybody))
}
