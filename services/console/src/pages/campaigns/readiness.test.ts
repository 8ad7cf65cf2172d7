import { expect, test } from '@jest/globals'
import { conditionsOf, missingOf, type ReadinessFacts } from './readiness.ts'

const now = new Date('2026-05-01T10:00:00Z')
const facts: ReadinessFacts = {
  campaign: {
    id: 'c1',
    status: 'draft',
    draft: {
      id: 'd1',
      version: 1,
      name: 'Spring',
      audience_id: 'a1',
      audience_ids: ['a1'],
      tag_filter: null,
      sender_identity_id: 's1',
      content_version_id: 'v1',
      notes: null,
      created_by: 'editor',
      created_at: '2026-05-01T09:00:00Z',
    },
  },
  maySchedule: true,
  scheduledFor: new Date('2026-05-02T10:00:00Z'),
  now,
  audiences: [{ id: 'a1', name: 'Weekly', is_archived: false }],
  tags: [{ name: 'vip' }],
  isTemplateArchived: false,
  sender: { display_name: 'Ada', is_enabled: true, sending_domain_id: 'm1' },
  domain: { id: 'm1', domain_name: 'mail.acme.test', is_ready: true, check_is_current: true },
  connection: { name: 'Mail', is_active: true, connection_state: 'verified' },
  isProductionGateOpen: true,
  productionGate: { ceiling: true, stored: true },
  workspace: { is_archived: false, production_sending_enabled: true },
}

const filtered = (names: string[]): Partial<ReadinessFacts> => ({
  campaign: { ...facts.campaign, draft: { ...facts.campaign.draft, tag_filter: { any: ['vip'], none: names } } },
})

const failing = (changed: Partial<ReadinessFacts>) =>
  conditionsOf({ ...facts, ...changed })
    .filter(({ holds }) => !holds)
    .map(({ title }) => title)

test('eleven conditions hold for a campaign that can be scheduled', () => {
  expect(conditionsOf(facts)).toHaveLength(11)
  expect(failing({})).toEqual([])
})

test.each<[string, Partial<ReadinessFacts>, string[]]>([
  ['role', { maySchedule: false }, ['Your role may schedule campaigns']],
  ['no time', { scheduledFor: null }, ['The time is in the future']],
  ['past time', { scheduledFor: now }, ['The time is in the future']],
  ['status', { campaign: { ...facts.campaign, status: 'sent' } }, ['The campaign is a draft']],
  [
    'archived audience',
    { audiences: [{ id: 'a1', name: 'Weekly', is_archived: true }] },
    ['Its audiences, its tags and its template are in use'],
  ],
  ['deleted audience', { audiences: [] }, ['Its audiences, its tags and its template are in use']],
  ['a tag that was renamed', filtered(['vpi']), ['Its audiences, its tags and its template are in use']],
  ['archived template', { isTemplateArchived: true }, ['Its audiences, its tags and its template are in use']],
  [
    'ceiling',
    { isProductionGateOpen: false, productionGate: { ceiling: false, stored: true } },
    ['This deployment allows production sending'],
  ],
  [
    'switch',
    { isProductionGateOpen: false, productionGate: { ceiling: true, stored: false } },
    ['The platform switch of production sending is open'],
  ],
  [
    'workspace',
    { workspace: { is_archived: false, production_sending_enabled: false } },
    ['Sending is activated in this workspace'],
  ],
  [
    'no sender',
    { sender: undefined, domain: undefined, connection: undefined },
    [
      'The sending domain is ready',
      'The provider connection is verified and active',
      'The domain passed its last check, and that is recent',
      'The sender is enabled',
    ],
  ],
])('%s fails its condition', (_, changed, titles) => {
  expect(failing(changed)).toEqual(titles)
})

test('who does not administer the platform knows that one of ceiling and switch is missing, but not which', () => {
  const unknown = conditionsOf({ ...facts, isProductionGateOpen: false, productionGate: undefined })
  expect(unknown.filter(({ holds }) => holds === null)).toHaveLength(2)
  expect(missingOf(unknown)).toBe(1)
  const known = conditionsOf({ ...facts, productionGate: undefined })
  expect(missingOf(known)).toBe(0)
})

test('the condition about tags names those that are not there, with the page that changes them', () => {
  const found = conditionsOf({ ...facts, ...filtered(['vpi', 'old']) }).find(({ title }) => title.includes('tags'))
  expect(found?.evidence).toBe('vpi, old are no tags of this workspace: they may have been renamed, merged or deleted.')
  expect(found?.fixAt).toBe('/campaigns/c1/edit')
  expect(failing(filtered(['vip']))).toEqual([])
})
