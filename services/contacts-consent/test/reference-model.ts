/**
 * Eligibility told a second time, slowly and on its own: it reads a history from the beginning for every question and
 * shares nothing with the service. Contacts and audiences are small numbers here.
 */
export type Fact =
  | { is: 'subscribed'; contact: number; audience: number }
  | { is: 'unsubscribed'; contact: number; audience: number }
  | { is: 'left the workspace'; contact: number }
  | {
      is: 'suppressed'
      contact: number
      scope: 'audience' | 'workspace' | 'platform'
      audience: number
      reason: string
    }
  | { is: 'resolved'; contact: number }
  | { is: 'suppressed elsewhere'; contact: number }
  | { is: 'handed off'; contact: number; audience: number; secondsAgo: number }
  | { is: 'put under review'; contact: number; audience: number }
  | { is: 'classified'; contact: number; grade: 'documented' | 'partial' | 'undocumented' | null }
  | { is: 'audience archived'; audience: number }
  | { is: 'workspace archived'; archived: boolean }

export interface World {
  history: readonly Fact[]
  contacts: number
  /** minimum interval of each audience, seconds */
  intervals: readonly number[]
}

interface Standing {
  consent: 'missing' | 'given' | 'withdrawn'
  member: boolean
  review: boolean
  secondsSinceHandOff: number
}

function standingOf(history: readonly Fact[], contact: number, audience: number): Standing {
  const standing: Standing = { consent: 'missing', member: false, review: false, secondsSinceHandOff: Infinity }
  let exists = false
  for (const fact of history) {
    if (!('contact' in fact) || fact.contact !== contact) continue
    if (fact.is === 'left the workspace' && standing.consent !== 'missing') {
      standing.consent = 'withdrawn'
      standing.member = false
    }
    if (!('audience' in fact) || fact.audience !== audience) continue
    if (fact.is === 'subscribed') {
      exists = true
      standing.consent = 'given'
      standing.member = true
    }
    if (fact.is === 'unsubscribed') {
      exists = true
      standing.consent = 'withdrawn'
      standing.member = false
    }
    if (fact.is === 'put under review' && exists) standing.review = true
    if (fact.is === 'handed off' && exists)
      standing.secondsSinceHandOff = Math.min(standing.secondsSinceHandOff, fact.secondsAgo)
  }
  return standing
}

/** Scopes in which something unresolved stands; audience-scope ones of this audience alone. */
function standingScopes(history: readonly Fact[], contact: number, audience: number): Set<string> {
  const scopes = new Set<string>()
  for (const fact of history) {
    if (!('contact' in fact) || fact.contact !== contact) continue
    if (fact.is === 'suppressed elsewhere') scopes.add('elsewhere')
    if (fact.is === 'left the workspace') scopes.add('workspace')
    if (fact.is === 'unsubscribed' && fact.audience === audience) scopes.add('audience')
    if (fact.is === 'suppressed' && (fact.scope !== 'audience' || fact.audience === audience)) scopes.add(fact.scope)
    if (fact.is === 'resolved') for (const scope of ['platform', 'workspace', 'audience']) scopes.delete(scope)
  }
  return scopes
}

const last = <T extends Fact['is']>(history: readonly Fact[], is: T, of: (fact: Extract<Fact, { is: T }>) => boolean) =>
  history.findLast((fact): fact is Extract<Fact, { is: T }> => fact.is === is && of(fact as Extract<Fact, { is: T }>))

/** Every reason in the order of the vocabulary. A contact outside the world is missing. */
export function expectedReasons({ history, contacts, intervals }: World, contact: number, audience: number): string[] {
  const standing = standingOf(history, contact, audience)
  const scopes = standingScopes(history, contact, audience)
  const grade = last(history, 'classified', (fact) => fact.contact === contact)?.grade ?? null
  const applies: [string, boolean][] = [
    ['workspace_archived', last(history, 'workspace archived', () => true)?.archived ?? false],
    ['audience_archived', history.some((fact) => fact.is === 'audience archived' && fact.audience === audience)],
    ['contact_missing', contact >= contacts],
    ['suppressed_platform', scopes.has('platform') || scopes.has('elsewhere')],
    ['suppressed_workspace', scopes.has('workspace')],
    ['suppressed_audience', scopes.has('audience')],
    ['consent_missing', standing.consent === 'missing'],
    ['consent_withdrawn', standing.consent === 'withdrawn'],
    ['consent_under_review', standing.review],
    ['legacy_consent_unverified', grade === 'partial' || grade === 'undocumented'],
    ['not_subscribed', !standing.member],
    ['minimum_interval_not_elapsed', standing.secondsSinceHandOff < intervals[audience]!],
  ]
  return applies.filter(([, holds]) => holds).map(([reason]) => reason)
}

/** Whether a subscribe would be refused now. */
export const refusesSubscribe = ({ history }: World, contact: number, audience: number): boolean =>
  standingScopes(history, contact, audience).size > 0 ||
  history.some((fact) => fact.is === 'audience archived' && fact.audience === audience)

export const isMember = ({ history }: World, contact: number, audience: number): boolean =>
  standingOf(history, contact, audience).member
