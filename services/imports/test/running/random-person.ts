/** How an address is written. */
export interface Spelling {
  readonly isUpperCase: boolean
  readonly domain: number
  readonly spaces: string
}

/** The same domains in other letter case, in other forms of Unicode, and in punycode, which comes first. */
const domains: readonly (readonly string[])[] = [
  ['example.com'],
  ['xn--bcher-kva.example', 'bücher.example', 'bu\u0308cher.example'],
  ['xn--wgv71a.example', '日本.example', '日本。example', '日本.ｅｘａｍｐｌｅ'],
]

/** What this test knows about a person, from what happened and not from the tables. Arrays are by audience. */
export interface RandomPerson {
  readonly name: string
  readonly domains: readonly string[]
  /** as the service compares addresses */
  readonly address: string
  /** was erased once; only what the person gave since counts */
  isErased: boolean
  wasDeletedAfterErasure: boolean
  isPlatformSuppressed: boolean
  isWorkspaceSuppressed: boolean
  isUnverifiedLegacy: boolean
  readonly isAudienceSuppressed: boolean[]
  readonly hasWithdrawn: boolean[]
  /** subscribed since the erasure */
  readonly hasSubscribedSince: boolean[]
  /** of all contacts that the person was */
  readonly contactIds: Set<string>
}

/** A person without a history. */
export function newPerson(prefix: string, n: number): RandomPerson {
  const known = domains[n % domains.length]!
  return {
    name: `${prefix}.p${n}`,
    domains: known,
    address: `${prefix}.p${n}@${known[0]!}`,
    isErased: false,
    wasDeletedAfterErasure: false,
    isPlatformSuppressed: false,
    isWorkspaceSuppressed: false,
    isUnverifiedLegacy: false,
    isAudienceSuppressed: [false, false],
    hasWithdrawn: [false, false],
    hasSubscribedSince: [false, false],
    contactIds: new Set(),
  }
}

/** Whether the person must not get email of this audience, whatever a file says. */
export const isRefused = (person: RandomPerson, audience: number): boolean =>
  (person.isErased && !person.hasSubscribedSince[audience]!) ||
  person.isPlatformSuppressed ||
  person.isWorkspaceSuppressed ||
  person.isUnverifiedLegacy ||
  person.isAudienceSuppressed[audience]! ||
  person.hasWithdrawn[audience]!

/** The address of a person in a spelling that can be written. */
export function spelled(
  { name, domains: known }: RandomPerson,
  { isUpperCase, domain, spaces }: Spelling,
  canWrite: (text: string) => boolean = () => true,
): string {
  const cased = (text: string) => (isUpperCase ? text.toUpperCase() : text)
  // GBK has ü, but no Ü.
  const written = known.map(cased).filter(canWrite)
  return `${spaces}${cased(name)}@${written[domain % written.length]!}${spaces}`
}
