/**
 * Eligibility told a second time, slowly and on its own: it reads a history from the beginning for every question and
 * shares nothing with the service. Contacts and audiences are small numbers here.
 */
export type Scope = 'audience' | 'workspace' | 'platform'
export type Grade = 'documented' | 'partial' | 'undocumented' | null

export type ContactFact = { contact: number } & (
  | { is: 'subscribed'; audience: number }
  | { is: 'unsubscribed'; audience: number; by: 'operator' | 'link' | 'provider' }
  | { is: 'left the workspace' }
  | { is: 'removed from the audience'; audience: number }
  | { is: 'suppressed'; scope: Scope; audience: number; reason: string }
  | { is: 'bounced' | 'complained' }
  | { is: 'resolved'; scope: Scope | 'every'; audience: number; /** or every */ reason: string }
  | { is: 'suppressed elsewhere' | 'resolved elsewhere' }
  | { is: 'handed off'; audience: number; secondsAgo: number }
  | { is: 'handed in by a source'; audience: number; isOld: boolean }
  | { is: 'classified'; grade: Grade }
  | { is: 'deleted' | 'created' }
)
export type WorldFact =
  | { is: 'audience archived'; audience: number }
  | { is: 'workspace archived'; archived: boolean }
  | { is: 'time passed'; seconds: number }
export type Fact = ContactFact | WorldFact

export interface World {
  history: readonly Fact[]
  contacts: number
  /** minimum interval of each audience, seconds */
  intervals: readonly number[]
}

/** The facts about this contact since it was last created. Facts about its address are kept. */
export function lifeOf(history: readonly Fact[], contact: number): { life: Fact[]; isMissing: boolean } {
  const end = history.findLastIndex((fact) => fact.is === 'deleted' && fact.contact === contact)
  const isAbout = (fact: Fact) => !('contact' in fact) || fact.contact === contact
  const life = history.filter(
    (fact, at) => isAbout(fact) && (at > end || fact.is === 'suppressed elsewhere' || fact.is === 'resolved elsewhere'),
  )
  const isCreated = history.some((fact, at) => at > end && fact.is === 'created' && fact.contact === contact)
  return { life, isMissing: end !== -1 && !isCreated }
}

interface Standing {
  consent: 'missing' | 'given' | 'withdrawn'
  member: boolean
  review: boolean
  secondsSinceHandOff: number
}

const gradeOf = (life: readonly Fact[]): Grade => life.findLast((fact) => fact.is === 'classified')?.grade ?? null
const isUnverified = (life: readonly Fact[]) => ['partial', 'undocumented'].includes(gradeOf(life) ?? '')

/** The outcome of a sign-up from a source after this life. A withdrawal may be newer than an old sign-up. */
function claimOf(
  life: readonly Fact[],
  audience: number,
  isOld: boolean,
): 'taken' | 'legacy' | 'conflict' | 'suppressed' {
  if (standingScopes(life, audience).size > 0) return 'suppressed'
  if (isUnverified(life)) return 'legacy'
  const hasWithdrawn = life.some(
    (fact) => fact.is === 'left the workspace' || (fact.is === 'unsubscribed' && fact.audience === audience),
  )
  return isOld && hasWithdrawn ? 'conflict' : 'taken'
}

function standingOf(life: readonly Fact[], audience: number): Standing {
  const standing: Standing = { consent: 'missing', member: false, review: false, secondsSinceHandOff: Infinity }
  let isKnown = false
  for (const [at, fact] of life.entries()) {
    if (fact.is === 'time passed') standing.secondsSinceHandOff += fact.seconds
    if (fact.is === 'left the workspace' && standing.consent !== 'missing') {
      standing.consent = 'withdrawn'
      standing.member = false
    }
    if (!('audience' in fact) || fact.audience !== audience) continue
    if (fact.is === 'subscribed') {
      isKnown = true
      Object.assign(standing, { consent: 'given', member: true, review: false })
    }
    if (fact.is === 'unsubscribed') {
      isKnown = true
      standing.consent = 'withdrawn'
      standing.member = false
    }
    if (fact.is === 'removed from the audience') standing.member = false
    if (fact.is === 'handed in by a source') {
      const claim = claimOf(life.slice(0, at), audience, fact.isOld)
      if (claim === 'suppressed') continue
      isKnown = true
      if (claim === 'taken') Object.assign(standing, { consent: 'given', member: true, review: false })
      else standing.review = true
      if (standing.consent === 'missing') standing.consent = claim === 'legacy' ? 'given' : 'withdrawn'
    }
    if (fact.is === 'handed off' && isKnown) {
      standing.secondsSinceHandOff = Math.min(standing.secondsSinceHandOff, fact.secondsAgo)
    }
  }
  return standing
}

/** The suppression of a fact as `scope reason`; audience scope only for this audience. */
function suppressionOf(fact: Fact, audience: number): string | undefined {
  if (fact.is === 'suppressed elsewhere') return 'elsewhere'
  if (fact.is === 'left the workspace') return 'workspace unsubscribe'
  if (fact.is === 'bounced') return 'workspace hard_bounce'
  if (fact.is === 'complained') return 'workspace complaint'
  if (fact.is === 'unsubscribed' && fact.audience === audience) return 'audience unsubscribe'
  if (fact.is !== 'suppressed') return undefined
  return fact.scope === 'audience' && fact.audience !== audience ? undefined : `${fact.scope} ${fact.reason}`
}

/** The scopes with an unresolved suppression. */
function standingScopes(life: readonly Fact[], audience: number): Set<string> {
  const standing = new Set<string>()
  for (const fact of life) {
    const suppression = suppressionOf(fact, audience)
    if (suppression !== undefined) standing.add(suppression)
    if (fact.is === 'resolved elsewhere') standing.delete('elsewhere')
    if (fact.is !== 'resolved') continue
    for (const one of standing) {
      const [scope, reason] = one.split(' ')
      if (scope === 'elsewhere' || (fact.scope !== 'every' && fact.scope !== scope)) continue
      if (fact.scope === 'audience' && fact.audience !== audience) continue
      if (fact.reason === 'every' || fact.reason === reason) standing.delete(one)
    }
  }
  return new Set([...standing].map((one) => one.split(' ')[0]!))
}

const isArchived = (history: readonly Fact[], audience: number) =>
  history.some((fact) => fact.is === 'audience archived' && fact.audience === audience)

/** Every reason in the order of the vocabulary. A contact outside the world is missing. */
export const expectedReasons = (world: World, contact: number, audience: number): string[] =>
  expectedReasonsOfAll(world, contact, [audience])[0]!

/** The same for several audiences, in their order. */
export function expectedReasonsOfAll(world: World, contact: number, audiences: readonly number[]): string[][] {
  const { life, isMissing } = lifeOf(world.history, contact)
  const isUnknown = isMissing || contact >= world.contacts
  const archived = world.history.findLast((fact) => fact.is === 'workspace archived')?.archived ?? false
  return audiences.map((audience) => reasonsOf(world, { life, isUnknown, archived }, audience))
}

function reasonsOf(
  { history, intervals }: World,
  { life, isUnknown, archived }: { life: readonly Fact[]; isUnknown: boolean; archived: boolean },
  audience: number,
): string[] {
  const standing = standingOf(life, audience)
  const scopes = standingScopes(life, audience)
  const applies: [string, boolean][] = [
    ['workspace_archived', archived],
    ['audience_archived', isArchived(history, audience)],
    ['contact_missing', isUnknown],
    ['suppressed_platform', !isUnknown && (scopes.has('platform') || scopes.has('elsewhere'))],
    ['suppressed_workspace', scopes.has('workspace')],
    ['suppressed_audience', scopes.has('audience')],
    ['consent_missing', standing.consent === 'missing'],
    ['consent_withdrawn', standing.consent === 'withdrawn'],
    ['consent_under_review', standing.review],
    ['legacy_consent_unverified', isUnverified(life)],
    ['not_subscribed', !standing.member],
    ['minimum_interval_not_elapsed', standing.secondsSinceHandOff < intervals[audience]!],
  ]
  return applies.filter(([, holds]) => holds).map(([reason]) => reason)
}

/** Whether the service has to refuse this fact now: consent despite a suppression, or deletion of a contact that was ever suppressed. */
export function isRefused({ history }: World, fact: Fact): boolean {
  if (fact.is === 'handed in by a source') return isArchived(history, fact.audience)
  if (fact.is === 'subscribed') {
    const { life } = lifeOf(history, fact.contact)
    return standingScopes(life, fact.audience).size > 0 || isArchived(history, fact.audience)
  }
  if (fact.is !== 'deleted') return false
  const { life } = lifeOf(history, fact.contact)
  return life.some(
    (one) =>
      one.is !== 'suppressed elsewhere' && suppressionOf(one, 'audience' in one ? one.audience : -1) !== undefined,
  )
}

export const isMissing = ({ history }: World, contact: number): boolean => lifeOf(history, contact).isMissing

export const isMember = ({ history }: World, contact: number, audience: number): boolean =>
  standingOf(lifeOf(history, contact).life, audience).member
