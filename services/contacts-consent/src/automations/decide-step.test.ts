import { expect, test } from '@jest/globals'
import {
  decideStep,
  type ContactState,
  type KnownObjects,
  type AutomationStanding,
  type StepEffect,
} from './decide-step.ts'

const nobody: AutomationStanding = {
  isActive: false,
  isGranted: false,
  isWithdrawn: false,
  isUnderReview: false,
  isPlatformSuppressed: false,
  isWorkspaceSuppressed: false,
  isAudienceSuppressed: false,
}
const member: AutomationStanding = { ...nobody, isActive: true, isGranted: true }
const contact: ContactState = {
  tagIds: ['T1'],
  standings: new Map([['a', nobody]]),
  texts: { first_name: 'Ada', company: null },
  customFields: { size: 3 },
  score: 5,
}
const known: KnownObjects = {
  tagIds: new Map([
    ['vip', 'T1'],
    ['new', 'T2'],
  ]),
  audiences: new Map([['a', { isArchived: false }]]),
  definitions: new Map([
    ['size', { fieldKey: 'size', fieldType: 'integer', options: [] }],
    ['note', { fieldKey: 'note', fieldType: 'long_text', options: [] }],
    ['plan', { fieldKey: 'plan', fieldType: 'single_choice', options: ['free', 'paid'] }],
  ]),
}
const add: StepEffect = { type: 'add_audience', audienceId: 'a', wordingVersion: 'v1', source: 'welcome' }
const set = (field: string, value: Extract<StepEffect, { type: 'update_field' }>['value']): StepEffect => ({
  type: 'update_field',
  field,
  value,
})
const withStanding = (standing: Partial<AutomationStanding>): ContactState => ({
  ...contact,
  standings: new Map([['a', { ...nobody, ...standing }]]),
})
const manyTags = Array.from({ length: 50 }, (_, n) => `M${n}`)

test.each<[string, StepEffect, Partial<ContactState>]>([
  ['adds a tag after the others', { type: 'add_tag', tag: 'new' }, { tagIds: ['T1', 'T2'] }],
  ['removes a tag', { type: 'remove_tag', tag: 'vip' }, { tagIds: [] }],
  ['makes a member', add, { standings: new Map([['a', member]]) }],
  ['sets a text', set('company', 'Analytical'), { texts: { first_name: 'Ada', company: 'Analytical' } }],
  ['clears a text', set('first_name', null), { texts: { first_name: null, company: null } }],
  ['writes a country in capitals', set('country_code', 'se'), { texts: { ...contact.texts, country_code: 'SE' } }],
  ['sets a custom field', set('custom.plan', 'paid'), { customFields: { size: 3, plan: 'paid' } }],
  ['clears a custom field', set('custom.size', null), { customFields: {} }],
  ['adds to the score', { type: 'adjust_score', amount: -7 }, { score: -2 }],
])('a step %s', (_, effect, changes) => {
  expect(decideStep(contact, effect, known)).toEqual({
    outcome: 'applied',
    reasons: [],
    contact: { ...contact, ...changes },
  })
})

test('a member can be ended, also one of an archived audience, and consent stays', () => {
  const archived = { ...known, audiences: new Map([['a', { isArchived: true }]]) }
  const before = withStanding(member)
  const decided = decideStep(before, { type: 'remove_audience', audienceId: 'a' }, archived)
  expect(decided.outcome).toBe('applied')
  expect(decided.contact.standings.get('a')).toEqual({ ...member, isActive: false })
})

test.each<[string, StepEffect, ContactState]>([
  ['a tag that the contact has', { type: 'add_tag', tag: 'vip' }, contact],
  ['a tag that the contact does not have', { type: 'remove_tag', tag: 'new' }, contact],
  ['a tag that nobody has, because it is not registered', { type: 'remove_tag', tag: 'gone' }, contact],
  ['a member', add, withStanding(member)],
  ['a contact that is no member', { type: 'remove_audience', audienceId: 'a' }, contact],
  ['an audience that was deleted with its members', { type: 'remove_audience', audienceId: 'gone' }, contact],
  ['the same text', set('first_name', 'Ada'), contact],
  ['the same custom value', set('custom.size', 3), contact],
  ['an empty field that is cleared', set('custom.plan', null), contact],
  ['a score by nothing', { type: 'adjust_score', amount: 0 }, contact],
])('%s stays unchanged', (_, effect, before) => {
  expect(decideStep(before, effect, known)).toEqual({ outcome: 'unchanged', reasons: [], contact: before })
})

test.each<[string[], StepEffect, ContactState]>([
  [['tag_missing'], { type: 'add_tag', tag: 'gone' }, contact],
  [['too_many_tags'], { type: 'add_tag', tag: 'new' }, { ...contact, tagIds: manyTags }],
  [['audience_missing'], { ...add, audienceId: 'gone' } as StepEffect, contact],
  [['suppressed_platform'], add, withStanding({ isPlatformSuppressed: true })],
  [['suppressed_workspace'], add, withStanding({ isWorkspaceSuppressed: true })],
  [['suppressed_audience'], add, withStanding({ ...member, isAudienceSuppressed: true })],
  [['consent_withdrawn'], add, withStanding({ isWithdrawn: true })],
  [['consent_under_review'], add, withStanding({ isUnderReview: true })],
  [['suppressed_audience', 'consent_withdrawn'], add, withStanding({ isAudienceSuppressed: true, isWithdrawn: true })],
  [['field_missing'], set('email', 'a@b.test'), contact],
  [['field_missing'], set('custom.gone', 1), contact],
  [['field_missing'], set('size', 1), contact],
  [['field_invalid'], set('first_name', 'x'.repeat(161)), contact],
  [['field_invalid'], set('first_name', 'a\u0000'), contact],
  [['field_invalid'], set('first_name', 7), contact],
  [['field_invalid'], set('country_code', 'XX'), contact],
  [['field_invalid'], set('custom.size', 'three'), contact],
  [['field_invalid'], set('custom.plan', 'gold'), contact],
  [['field_invalid'], set('custom.note', 'a\u0000'), contact],
  [
    ['custom_fields_too_long'],
    set('custom.note', 'x'.repeat(100)),
    { ...contact, customFields: { other: 'x'.repeat(65_500) } },
  ],
  [['score_out_of_range'], { type: 'adjust_score', amount: 1_000_000 }, { ...contact, score: 999_999_999 }],
])('a step is refused with %j and changes nothing: %j', (reasons, effect, before) => {
  expect(decideStep(before, effect, known)).toEqual({ outcome: 'refused', reasons, contact: before })
})

test('an archived audience takes no members', () => {
  const archived = { ...known, audiences: new Map([['a', { isArchived: true }]]) }
  expect(decideStep(withStanding(member), add, archived)).toMatchObject({
    outcome: 'refused',
    reasons: ['audience_archived'],
  })
})
