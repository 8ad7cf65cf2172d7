import { isNamedSecret } from '@lettergate/service/named-secrets'
import { isSlug } from '@lettergate/values/slug'

/** A map from environment key to the slugs of the organizations that may use it. `*` means every organization. */
export type KeyOwners = ReadonlyMap<string, ReadonlySet<string>>

const anyOrganization = '*'

/** Parses `KEY=organization organization` items; null without items. The message of a thrown Error continues "PROVIDER_KEY_OWNERS …". */
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
      organizations.every((name) => name === anyOrganization || isSlug(name))
    if (!isReadable) throw new Error('must be a comma list of KEY=organization organization, or KEY=*')
    if (owners.has(key)) throw new Error(`names ${key} twice`)
    owners.set(key, new Set(organizations))
  }
  return owners
}

/** Whether an organization may use a key. No organization may use an unlisted key. */
export function ownsKey(owners: KeyOwners, organization: string, key: string): boolean {
  const organizations = owners.get(key)
  return organizations !== undefined && (organizations.has(organization) || organizations.has(anyOrganization))
}
