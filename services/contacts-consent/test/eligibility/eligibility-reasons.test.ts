import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { newWorld, type RunningWorld } from './eligibility-world.ts'
import type { Fact } from './reference-model.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

/** As the contract has it, in its order, without `confirmation_pending`, which confirm-signup.test.ts tests. */
const vocabulary = [
  'workspace_archived',
  'audience_archived',
  'contact_missing',
  'suppressed_platform',
  'suppressed_workspace',
  'suppressed_audience',
  'consent_missing',
  'consent_withdrawn',
  'consent_under_review',
  'legacy_consent_unverified',
  'not_subscribed',
  'minimum_interval_not_elapsed',
]

const only = { contact: 0, audience: 0 } as const
const subscribed: Fact = { is: 'subscribed', ...only }
const withdrawn: Fact[] = [
  subscribed,
  { is: 'unsubscribed', ...only, by: 'link' },
  { is: 'resolved', ...only, scope: 'every', reason: 'every' },
]
const suppressed = (scope: 'audience' | 'workspace' | 'platform'): Fact => ({
  is: 'suppressed',
  ...only,
  scope,
  reason: 'manual',
})
const oldClaim: Fact = { is: 'handed in by a source', ...only, isOld: true }
const archived: Fact[] = [
  { is: 'audience archived', audience: 0 },
  { is: 'workspace archived', archived: true },
]
const everywhere = [suppressed('platform'), suppressed('workspace'), suppressed('audience')]
const undocumented: Fact = { is: 'classified', contact: 0, grade: 'undocumented' }

async function worldAfter(facts: readonly Fact[]): Promise<RunningWorld> {
  const world = await newWorld(s, { contacts: 1, intervals: [3_600] })
  for (const fact of facts) await world.arrived(await world.happen(fact))
  return world
}

/** The reasons of the one contact, which are the same in every operation. */
async function reasonsIn({ us, contacts, audiences }: RunningWorld): Promise<string[]> {
  const [contactId, audienceId] = [contacts[0]!, audiences[0]!]
  const { recipients } = await s.contacts.prepareRecipients(us, { recipients: [{ contactId, audienceId }] })
  const { reasons } = recipients[0]!
  if (reasons.includes('contact_missing')) {
    await expect(s.reasons(contactId, audienceId, us)).rejects.toMatchObject({ code: 'not_found' })
  } else expect(await s.reasons(contactId, audienceId, us)).toEqual(reasons)
  const streamed: string[][] = []
  for await (const { verdicts } of s.contacts.streamAudienceVerdicts(us, { audienceIds: [audienceId] })) {
    streamed.push(...verdicts.map((verdict) => verdict.reasons))
  }
  expect(streamed).toEqual(reasons.includes('not_subscribed') ? [] : [reasons])
  return reasons
}

/** Each reason with as few others as possible. Missing or withdrawn consent always includes a missing membership. */
const alone: [told: string[], facts: Fact[]][] = [
  [['workspace_archived'], [subscribed, archived[1]!]],
  [['audience_archived'], [subscribed, archived[0]!]],
  [
    ['contact_missing', 'consent_missing', 'not_subscribed'],
    [subscribed, { is: 'deleted', contact: 0 }],
  ],
  [['suppressed_platform'], [subscribed, suppressed('platform')]],
  [['suppressed_platform'], [subscribed, { is: 'suppressed elsewhere', contact: 0 }]],
  [['suppressed_workspace'], [subscribed, suppressed('workspace')]],
  [['suppressed_workspace'], [subscribed, { is: 'bounced', contact: 0 }]],
  [['suppressed_audience'], [subscribed, suppressed('audience')]],
  [['consent_missing', 'not_subscribed'], []],
  [['consent_withdrawn', 'not_subscribed'], withdrawn],
  [
    ['consent_under_review', 'not_subscribed'],
    [undocumented, oldClaim, { is: 'classified', contact: 0, grade: null }],
  ],
  [['consent_under_review'], [...withdrawn, subscribed, oldClaim]],
  [['legacy_consent_unverified'], [subscribed, undocumented]],
  [['not_subscribed'], [subscribed, { is: 'removed from the audience', ...only }]],
  [['minimum_interval_not_elapsed'], [subscribed, { is: 'handed off', ...only, secondsAgo: 60 }]],
]

test.each(alone)('%j can be the only reason', async (told, facts) => {
  expect(await reasonsIn(await worldAfter(facts))).toEqual(told)
})

test('the cases contain every reason of the contract', () => {
  expect(new Set(alone.flatMap(([told]) => told))).toEqual(new Set(vocabulary))
})

test('an eligible contact has an empty list of reasons', async () => {
  expect(await reasonsIn(await worldAfter([subscribed]))).toEqual([])
})

/** Consent cannot be both missing and withdrawn. For a missing contact, only the audience and the workspace are known. */
const together: [without: string[], facts: Fact[]][] = [
  [
    ['contact_missing', 'consent_missing'],
    [
      ...withdrawn,
      oldClaim,
      { is: 'handed off', ...only, secondsAgo: 60 },
      undocumented,
      ...everywhere,
      { is: 'suppressed elsewhere', contact: 0 },
      ...archived,
    ],
  ],
  [
    ['contact_missing', 'consent_withdrawn', 'consent_under_review', 'minimum_interval_not_elapsed'],
    [undocumented, ...everywhere, ...archived],
  ],
  [
    [
      'suppressed_platform',
      'suppressed_workspace',
      'suppressed_audience',
      'consent_withdrawn',
      'consent_under_review',
      'legacy_consent_unverified',
      'minimum_interval_not_elapsed',
    ],
    [{ is: 'suppressed elsewhere', contact: 0 }, undocumented, { is: 'deleted', contact: 0 }, ...archived],
  ],
]

test.each(together)(
  'all reasons except %j are answered together, in the order of the contract',
  async (without, facts) => {
    expect(await reasonsIn(await worldAfter(facts))).toEqual(vocabulary.filter((reason) => !without.includes(reason)))
  },
)
