import { expect, test } from '@jest/globals'
import type { JsonObject, JsonValue } from './definition.ts'
import { nodeTypes } from './read-node.ts'
import { readDefinition } from './read-definition.ts'
import { triggerTypes } from './read-trigger.ts'

const id = '0190a3a0-0000-7000-8000-000000000001'
const upper = id.toUpperCase()

const triggers: Record<string, [JsonObject, object]> = {
  audience_subscribed: [{ audience_id: upper }, { audienceId: id }],
  tag_added: [{ tag: ' vip ' }, { tag: 'vip' }],
  tag_removed: [{ tag: 'vip' }, { tag: 'vip' }],
  contact_field_changed: [{ field: 'first_name' }, { field: 'first_name' }],
  contact_date: [
    { field: 'custom.birthday', offset_days: -3 },
    { field: 'custom.birthday', offsetDays: -3 },
  ],
  recurring_schedule: [
    { cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
    { cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
  ],
  api_event: [{ event_name: 'order_paid' }, { eventName: 'order_paid' }],
  manual: [{}, {}],
}

const nodes: Record<string, [JsonObject, object]> = {
  send_email: [
    { content_version_id: id, sender_identity_id: upper },
    { contentVersionId: id, senderIdentityId: id },
  ],
  wait_duration: [{ seconds: 60 }, { seconds: 60 }],
  wait_until_date: [{ at: '2027-03-28T02:30:00+01:00' }, { until: { at: '2027-03-28T02:30:00+01:00' } }],
  add_tag: [{ tag: 'a' }, { tag: 'a' }],
  remove_tag: [{ tag: 'a' }, { tag: 'a' }],
  add_audience: [
    { audience_id: id, wording_version: 'v1', source: 'welcome' },
    { audienceId: id, wordingVersion: 'v1', source: 'welcome' },
  ],
  remove_audience: [{ audience_id: id }, { audienceId: id }],
  update_contact_field: [
    { field: 'custom.plan', value: ['a', 'b'] },
    { field: 'custom.plan', value: ['a', 'b'] },
  ],
  adjust_score: [{ amount: -5 }, { amount: -5 }],
  decision: [{}, {}],
  end: [{}, {}],
}

const definition = (more: JsonObject = {}): JsonObject => ({
  trigger: { type: 'manual', config: {} },
  start_node: 'one',
  nodes: [{ key: 'one', type: 'end', config: {} }],
  edges: [],
  ...more,
})
const withNode = (type: string, config: JsonValue) => definition({ nodes: [{ key: 'one', type, config }] })
const withCondition = (condition: JsonValue) =>
  definition({ edges: [{ from: 'one', to: 'one', branch: 'a', condition }] })

test('each trigger type of the API is read with its own config', () => {
  expect(Object.keys(triggers)).toEqual(triggerTypes)
  for (const [type, [config, read]] of Object.entries(triggers))
    expect(readDefinition(definition({ trigger: { type, config } })).definition?.trigger).toEqual({ type, ...read })
})

test('each node type of the API is read with its own config', () => {
  expect(Object.keys(nodes)).toEqual(nodeTypes)
  for (const [type, [config, read]] of Object.entries(nodes))
    expect(readDefinition(withNode(type, config)).definition?.nodes).toEqual([{ key: 'one', type, ...read }])
})

test('each config refuses a missing field, a value of another type, and a field that it does not have', () => {
  const all = [
    ...Object.entries(triggers).map(([type, [config]]) => ({
      config,
      make: (c: JsonObject) => definition({ trigger: { type, config: c } }),
    })),
    ...Object.entries(nodes).map(([type, [config]]) => ({ config, make: (c: JsonObject) => withNode(type, c) })),
  ]
  for (const { config, make } of all) {
    expect(readDefinition(make({ ...config, other: 1 })).problems).toEqual([
      expect.stringContaining('.config.other is not a field'),
    ])
    for (const name of Object.keys(config)) {
      const { [name]: _left, ...without } = config
      const missing = readDefinition(make(without))
      expect([missing.definition, missing.problems.length > 0]).toEqual([undefined, true])
      const wrong = readDefinition(make({ ...config, [name]: { an: 'object' } }))
      expect([wrong.definition, wrong.problems[0]]).toEqual([undefined, expect.stringContaining(`.config.${name}`)])
    }
  }
})

test.each<[string, JsonObject]>([
  ['definition.trigger.type must be one of', definition({ trigger: { type: 'sms', config: {} } })],
  ['definition.trigger must be an object', definition({ trigger: 'manual' })],
  ['definition.trigger.config must be an object', definition({ trigger: { type: 'manual' } })],
  [
    'config.cron must be a pattern',
    definition({ trigger: { type: 'recurring_schedule', config: { cron: 'daily', timezone: 'UTC' } } }),
  ],
  [
    'config.cron must be a pattern',
    definition({ trigger: { type: 'recurring_schedule', config: { cron: '* * * * * *', timezone: 'UTC' } } }),
  ],
  [
    'config.timezone must be the name',
    definition({ trigger: { type: 'recurring_schedule', config: { cron: '0 9 * * 1', timezone: 'Mars/One' } } }),
  ],
  ['definition.nodes must be a list of 1 to 100', definition({ nodes: [] })],
  [
    'definition.edges must be a list of 0 to 200',
    definition({ edges: Array.from({ length: 201 }, () => ({ from: 'one', to: 'one', branch: 'default' })) }),
  ],
  ['definition.nodes[0].type must be one of', withNode('send_sms', {})],
  [
    'definition.nodes[0].note is not a field',
    definition({ nodes: [{ key: 'one', type: 'end', config: {}, note: 'x' }] }),
  ],
  [
    'definition.start_node is required',
    { trigger: { type: 'manual', config: {} }, nodes: [{ key: 'one', type: 'end', config: {} }], edges: [] },
  ],
  ['config.seconds must be a whole number from 1', withNode('wait_duration', { seconds: 0 })],
  ['config.seconds must be a whole number from 1', withNode('wait_duration', { seconds: 1.5 })],
  ['must have either at or field', withNode('wait_until_date', { at: '2027-01-01T00:00:00Z', field: 'custom.day' })],
  ['must have either at or field', withNode('wait_until_date', {})],
  ['config.at must be a date and time', withNode('wait_until_date', { at: '2035-02-30T10:00:00Z' })],
  ['an automation changes no address', withNode('update_contact_field', { field: 'email', value: 'a@b.test' })],
  ['config.field must be custom.', withNode('update_contact_field', { field: 'custom.Ünknown', value: 'a' })],
  ['config.tag must be a text of 1 to 100', withNode('add_tag', { tag: 'x'.repeat(101) })],
  ['condition must have exactly one of', withCondition({ operator: 'exists' })],
  ['condition must have exactly one of', withCondition({ tag: 'a', score: true, operator: 'exists' })],
  [
    'condition.operator must be one of exists, not_exists for tag',
    withCondition({ tag: 'a', operator: 'equals', value: true }),
  ],
  ['condition.value must be left out', withCondition({ tag: 'a', operator: 'exists', value: true })],
  ['condition.score must be true', withCondition({ score: 5, operator: 'equals', value: 5 })],
  ['condition.value must be a number', withCondition({ score: true, operator: 'in', value: [1, 'two'] })],
  ['condition.value must be a list of 1 to 100', withCondition({ field: 'locale', operator: 'in', value: [] })],
  ['condition.all must be a list of 1 to 20', withCondition({ all: [] })],
  ['condition.all[0].not.operator', withCondition({ all: [{ not: { tag: 'a', operator: 'is' } }] })],
  ['condition.value is not a field', withCondition({ all: [{ tag: 'a', operator: 'exists' }], value: 1 })],
])('refuses with the path of the value: %s', (problem, given) => {
  const { definition: read, problems } = readDefinition(given)
  expect(read).toBeUndefined()
  expect(problems).toEqual(expect.arrayContaining([expect.stringContaining(problem)]))
})

test('conditions are read as they are nested, and refused below the fifth level', () => {
  const leaf: JsonObject = { field: 'country_code', operator: 'equals', value: 'DE' }
  const condition = { any: [{ not: { audience_id: upper, operator: 'exists' } }, leaf] }
  expect(readDefinition(withCondition(condition)).definition?.edges[0]?.condition).toEqual({
    any: [
      { not: { subject: { audienceId: id }, operator: 'exists', value: null } },
      { subject: { field: 'country_code' }, operator: 'equals', value: 'DE' },
    ],
  })
  const nested = (levels: number): JsonValue => (levels === 1 ? leaf : { not: nested(levels - 1) })
  expect(readDefinition(withCondition(nested(5))).problems).toEqual([])
  expect(readDefinition(withCondition(nested(6))).problems).toEqual([expect.stringContaining('nested too deeply')])
})

test('every problem of a definition is listed, and a name of the caller stays on one line', () => {
  const { problems } = readDefinition({
    trigger: { type: 'tag_added', config: {} },
    start_node: '',
    nodes: [{ key: 'one', type: 'wait_duration', config: { seconds: '60' } }],
    edges: [{ from: 'one', to: 'one', branch: 'default', 'a\nline': 1 }],
  })
  expect(problems).toHaveLength(4)
  expect(problems.join('')).not.toContain('\n')
})
