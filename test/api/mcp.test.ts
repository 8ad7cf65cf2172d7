import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { audience } from '@lettergate/gateway/test/people-and-senders'
import { readyToSend, type ReadyStage } from './ready-to-send.ts'

const program = resolve(import.meta.dirname, '../../node_modules/.bin/lettergate-mcp')

let ready: ReadyStage
let audienceId: string
const open: Client[] = []
beforeAll(async () => {
  ready = await readyToSend()
  audienceId = await audience(ready.gateway, 'News')
})
afterAll(async () => {
  await Promise.all(open.map((client) => client.close()))
  await ready.gateway.close()
})

/** An agent: the client of the SDK, and a server that it started, with the token of this user. */
async function agentOf(user: string, ...enable: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const env = {
    LETTERGATE_URL: ready.gateway.baseUrl,
    LETTERGATE_TOKEN: `wallet-session-dev-${user}`,
    LETTERGATE_WORKSPACE: 'acme/newsletter',
  }
  const args = [program, ...(enable.length === 0 ? [] : ['--enable', enable.join(',')])]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
  open.push(client)
  return client
}

const namesFor = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

async function answer(client: Client, name: string, input: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: input })
  return { isError, text: (content as { text: string }[])[0]!.text }
}

const sending = ['scheduleCampaign', 'createTestSend', 'createRehearsal', 'controlCampaignRun']
const dangerous = [
  'activateSenderIdentity',
  'activateWorkspaceSending',
  'setSendingDomainReadiness',
  'approveImport',
  'resolveSuppression',
  'setCampaignWebhook',
]

test('by default an owner gets the tools that read, and nothing else', async () => {
  const owner = await agentOf('owner')
  const { tools } = await owner.listTools()
  expect(tools.length).toBeGreaterThan(15)
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
  const names = tools.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['getEligibility', 'listAudiences', 'getCampaignRunReport', 'getPreflight']),
  )
  for (const name of [...sending, ...dangerous, 'upsertContact']) expect(names).not.toContain(name)
  expect(owner.getInstructions()).toContain('Only tools that read are enabled.')
})

test('a tool has its safety class in words and the schema of its input, without the slugs', async () => {
  const { tools } = await (await agentOf('owner', 'production')).listTools()
  const schedule = tools.find(({ name }) => name === 'scheduleCampaign')!
  expect(schedule.description).toContain('Safety class `production path`: is part of sending to real recipients')
  expect(schedule.inputSchema).toMatchObject({ type: 'object', required: ['campaign_id', 'body', 'idempotency_key'] })
  expect(JSON.stringify(schedule.inputSchema)).not.toMatch(/_slug|"x-|#\/components/)
  expect(schedule.annotations).toMatchObject({ readOnlyHint: false, openWorldHint: true, idempotentHint: true })
})

test('a group enables its tools, and a dangerous one only its own name', async () => {
  const names = await namesFor(await agentOf('owner', 'changes', 'test-delivery', 'production'))
  expect(names).toEqual(expect.arrayContaining(['upsertContact', ...sending]))
  for (const name of dangerous) expect(names).not.toContain(name)
  expect(await namesFor(await agentOf('owner', 'resolveSuppression'))).toContain('resolveSuppression')
})

test('a token never gets more tools than its role', async () => {
  const names = await namesFor(await agentOf('analyst', 'changes', 'test-delivery', 'production', ...dangerous))
  expect(names).toContain('getEligibility')
  for (const name of [...sending, ...dangerous, 'upsertContact', 'runPreflight']) expect(names).not.toContain(name)
})

describe('a call', () => {
  test('that reads answers the JSON of the API', async () => {
    const { isError, text } = await answer(await agentOf('analyst'), 'getAudience', { audience_id: audienceId })
    expect(isError).toBe(false)
    expect(JSON.parse(text)).toMatchObject({ audience: { id: audienceId, name: 'News' } })
  })

  test('that changes something works when it is enabled', async () => {
    const agent = await agentOf('agent', 'changes')
    const added = await answer(agent, 'upsertContact', { body: { email: 'ada@example.org', source: 'agent' } })
    const { contact } = JSON.parse(added.text) as { contact: { id: string } }
    const { text } = await answer(agent, 'getEligibility', { contact_id: contact.id, audience_id: audienceId })
    expect(JSON.parse(text)).toMatchObject({
      eligibility: { eligible: false, reasons: ['consent_missing', 'not_subscribed'] },
    })
  })

  test('that the role forbids answers the 403 in words', async () => {
    const refused = await answer(await agentOf('analyst', 'changes'), 'upsertContact', {
      body: { email: 'a@example.org', source: 'x' },
    })
    expect(refused.isError).toBe(true)
    expect(refused.text).toMatch(
      /^Refused with 403 upsert_contacts: .+\nThe role of this token does not allow it\.[\s\S]*Reference for support: \S{8,}$/,
    )
  })

  test('of a tool that is not enabled reaches nothing, and says what a person can do', async () => {
    const owner = await agentOf('owner', 'changes')
    const schedule = await answer(owner, 'scheduleCampaign', {
      campaign_id: audienceId,
      body: {},
      idempotency_key: 'k',
    })
    expect(schedule).toEqual({ isError: true, text: expect.stringContaining('--enable production') })
    const resolve = await answer(owner, 'resolveSuppression', {
      suppression_id: audienceId,
      body: { resolution_reason: 'x' },
    })
    expect(resolve).toEqual({
      isError: true,
      text: expect.stringContaining('dangerous: it lets email reach an address that refused it'),
    })
    expect(await answer(owner, 'noSuchTool')).toEqual({ isError: true, text: 'There is no tool noSuchTool.' })
  })

  test('with an invalid or missing input says which', async () => {
    const agent = await agentOf('agent', 'changes')
    expect(await answer(agent, 'getAudience')).toEqual({ isError: true, text: 'getAudience needs audience_id.' })
    const invalid = await answer(agent, 'upsertContact', { body: { email: 'no', source: 'agent' } })
    expect(invalid.text).toMatch(/^Refused with 422 invalid_email: /)
  })

  test('cannot reach another operation by a value of its path', async () => {
    const owner = await agentOf('owner', 'production')
    const body = { confirmation: 'ACTIVATE PRODUCTION SENDING', quota_reviewed: true }
    const isSending = async () =>
      (
        await ready.gateway.stage.query(
          `select production_sending_enabled from identity.workspaces where slug = 'newsletter'`,
        )
      )[0]
    const before = await isSending()
    await ready.gateway.stage.query(`update identity.workspaces set production_sending_enabled = false`)
    for (const [enrollment_id, action, text] of [
      ['..', 'pause', 'enrollment_id cannot be ..'],
      ['..', 'activate-sending', 'action must be one of: pause, resume, cancel, replay.'],
      [audienceId, 'activate-sending', 'action must be one of: pause, resume, cancel, replay.'],
    ] as const)
      expect(await answer(owner, 'controlEnrollment', { enrollment_id, action, body })).toEqual({
        isError: true,
        text: expect.stringContaining(text),
      })
    expect(await isSending()).toEqual({ production_sending_enabled: false })
    await ready.gateway.stage.query(
      `update identity.workspaces set production_sending_enabled = $1 where slug = 'newsletter'`,
      [before!['production_sending_enabled']],
    )
  })

  test('cannot name another workspace', async () => {
    const { text } = await answer(await agentOf('owner'), 'getWorkspace', {
      organization_slug: 'acme',
      workspace_slug: 'product',
    })
    expect(JSON.parse(text)).toMatchObject({ workspace: 'newsletter' })
  })
})

test('a server without a token, or with an unknown name to enable, does not start', async () => {
  await expect(agentOf('owner', 'everything')).rejects.toThrow()
})
