import type { Profile } from './built-in-profiles.ts'
import { columnsNamed, type Mapping } from './import-mapping.ts'
import { isMultiple } from './mapping-targets.ts'

/** A mapping and a policy as somebody sent or saved them. */
export interface GivenMapping {
  readonly mapping: Mapping
  readonly policy: Readonly<Record<string, unknown>>
}

/** The header of the file that a profile means: exports write the same header in different cases. */
function headerLike(name: string, headers: readonly string[]): string | undefined {
  if (columnsNamed(name, headers).length > 0) return name
  const folded = name.trim().toLowerCase()
  return headers.find((header) => header.toLowerCase() === folded)
}

const hasStatus = (mapping: Mapping): boolean => Object.values(mapping).includes('status')

/**
 * A profile for a file with these headers, completed and overruled by what the request says itself. Headers of the profile that the
 * file does not have are left out, and so are its columns and targets that the request uses. If its column of the status is left out,
 * the rows are `pending`, unless a default status is given: nobody is subscribed by a column that is missing.
 */
export function applyProfile(
  profile: Pick<Profile, 'mapping' | 'policy'>,
  given: GivenMapping,
  headers: readonly string[],
): GivenMapping {
  const columns = new Set(Object.keys(given.mapping).flatMap((key) => columnsNamed(key, headers)))
  const targets = new Set(Object.values(given.mapping))
  const kept = Object.entries(profile.mapping).flatMap(([key, target]): [string, string][] => {
    const header = headerLike(key, headers)
    if (header === undefined || (targets.has(target) && !isMultiple(target))) return []
    return columnsNamed(header, headers).some((column) => columns.has(column)) ? [] : [[header, target]]
  })
  const mapping = Object.fromEntries([...kept, ...Object.entries(given.mapping)])
  const policy: GivenMapping['policy'] = { ...profile.policy, ...given.policy }
  const isStatusLeftOut = hasStatus(profile.mapping) && !hasStatus(mapping)
  return {
    mapping,
    policy: isStatusLeftOut ? { ...policy, default_status: policy['default_status'] ?? 'pending' } : policy,
  }
}
