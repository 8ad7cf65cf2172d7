import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { signIn, type Browser } from '@lettergate/gateway/test/console-session'
import { gatewayStage, newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { contact } from '@lettergate/gateway/test/people-and-senders'
import { automationsServices } from './automations-services.ts'

interface Version {
  id: string
  version: number
  definition_checksum: string
  preview: { estimate: object | null }
}
interface Automation {
  id: string
  status: string
  current_version: number
  selected_version: Version
}

let gateway: GatewayStage
let editor: Browser
beforeAll(async () => {
  gateway = await gatewayStage({}, automationsServices)
  editor = await signIn(gateway, 'editor')
  for (const tags of [['vip'], ['vip', 'late'], ['late'], ['vip']]) await contact(gateway, { tags })
})
afterAll(() => gateway.close())

const end = { key: 'end', type: 'end', config: {} }
const triggeredBy = (trigger: object) => ({ trigger, start_node: 'end', nodes: [end], edges: [] })
const manual = { type: 'manual', config: {} }

const post = (path: string, body?: object) =>
  gateway.call('POST', `${newsletter}/automations${path}`, { as: 'editor', ...(body === undefined ? {} : { body }) })
const create = (definition: object) => post('', { name: 'A', slug: `d-${randomUUID().slice(0, 8)}`, definition })
const automationOf = ({ status, json, text }: Awaited<ReturnType<typeof post>>) => {
  if (status !== 200) throw new Error(`answered ${status}: ${text}`)
  return json['automation'] as Automation
}

test.each([
  ['tag_added', 'vip', 3],
  ['tag_removed', 'late', 2],
])('the preview of %s estimates the contacts who have the tag %s today', async (type, tag, contacts) => {
  const { selected_version: version } = automationOf(await create(triggeredBy({ type, config: { tag } })))
  expect(version.preview.estimate).toEqual({ contacts, basis: 'contacts with the tag' })
})

test.each([
  manual,
  { type: 'api_event', config: { event_name: 'signed_up' } },
  { type: 'contact_field_changed', config: { field: 'locale' } },
  { type: 'recurring_schedule', config: { cron: '0 9 * * 1', timezone: 'Europe/Berlin' } },
])('the preview of another trigger has no estimate: $type', async (trigger) => {
  const { selected_version: version } = automationOf(await create(triggeredBy(trigger)))
  expect(version.preview.estimate).toBeNull()
})

test('a version is appended to a paused automation, which is a draft then and is published after a review', async () => {
  const { id, selected_version: first } = automationOf(await create(triggeredBy(manual)))
  const mark = ({ id: version_id, definition_checksum }: Version) =>
    post(`/${id}/ready-for-review`, { version_id, definition_checksum })
  const atConsole = (action: string) =>
    editor.call('POST', `${newsletter.replace('/api/v1', '/console/api')}/automations/${id}/${action}`)
  await mark(first)
  await atConsole('publish')
  expect(automationOf(await atConsole('pause')).status).toBe('paused')
  const appended = automationOf(await post(`/${id}/versions`, { definition: triggeredBy(manual) }))
  expect(appended).toMatchObject({ status: 'draft', current_version: 2 })
  for (const action of ['publish', 'pause']) expect((await atConsole(action)).status).toBe(422)
  expect((await mark(first)).status).toBe(422)
  expect(automationOf(await mark(appended.selected_version)).status).toBe('ready_for_review')
  expect(automationOf(await atConsole('publish'))).toMatchObject({ status: 'published', current_version: 2 })
})

/** Nodes that follow each other, the last one an end. */
const ofNodes = (count: number) => {
  const keys = Array.from({ length: count - 1 }, (_, n) => `n${n}`)
  return {
    trigger: manual,
    start_node: 'n0',
    nodes: [...keys.map((key) => ({ key, type: 'adjust_score', config: { amount: 1 } })), end],
    edges: keys.map((from, n) => ({ from, to: keys[n + 1] ?? 'end', branch: 'default' })),
  }
}
/** Decisions that follow each other, with four branches each and the rest at the first one. */
const ofEdges = (count: number) => {
  const decisions = Math.floor(count / 4)
  const branches = (n: number) => (n === 0 ? 4 + (count % 4) : 4)
  const edge = (n: number, branch: number) => ({
    from: `d${n}`,
    to: n + 1 < decisions ? `d${n + 1}` : 'end',
    ...(branch === 0
      ? { branch: 'default' }
      : { branch: `b${branch}`, condition: { score: true, operator: 'equals', value: branch } }),
  })
  const numbers = Array.from({ length: decisions }, (_, n) => n)
  return {
    trigger: manual,
    start_node: 'd0',
    nodes: [...numbers.map((n) => ({ key: `d${n}`, type: 'decision', config: {} })), end],
    edges: numbers.flatMap((n) => Array.from({ length: branches(n) }, (_, branch) => edge(n, branch))),
  }
}

test.each([
  ['100 nodes', 'definition.nodes', ofNodes(100), ofNodes(101)],
  ['200 edges', 'definition.edges', ofEdges(200), ofEdges(201)],
])('a definition has at most %s, at creation and at append', async (_, named, most, tooMany) => {
  const automation = automationOf(await create(most))
  expect(automationOf(await post(`/${automation.id}/versions`, { definition: most })).current_version).toBe(2)
  for (const answer of [await create(tooMany), await post(`/${automation.id}/versions`, { definition: tooMany })]) {
    expect(answer.status).toBe(422)
    expect(answer.text).toContain(named)
  }
  const { json } = await gateway.call('GET', `${newsletter}/automations/${automation.id}`, { as: 'analyst' })
  expect((json['automation'] as Automation).current_version).toBe(2)
})
