import { fromBinary, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import pg from 'pg'
import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { WebhookIntake } from '@lettergate/contracts/webhooks/v1/webhooks'
import { eventName } from '@lettergate/events/message'
import type { Client } from '@lettergate/rpc'
import { openStage, type Stage } from '@lettergate/stage'
import { freePort } from '@lettergate/stage/ports'
import { sign } from '@lettergate/local/mail-provider/event-payload'
import { loadConfig as loadGateway } from '@lettergate/gateway/config'
import { schema as identitySchema } from '@lettergate/gateway/migrations'
import { schemasOf } from '@lettergate/gateway/validate'
import { start as startGateway } from '@lettergate/gateway/service'
import { loadConfig as loadSending } from '@lettergate/sending-infra/config'
import { schema as sendingSchema } from '@lettergate/sending-infra/migrations'
import { start as startSending } from '@lettergate/sending-infra/service'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { start } from '../src/service.ts'

export const signingKey = 'test-webhook-signing-key'
export const otherKey = 'another-webhook-signing-key'

export interface WebhookAnswer {
  status: number
  headers: Headers
  text: string
  /** the body of a 200 */
  json: { status: string; id: string }
}

export type EventData = Record<string, unknown>

export interface WebhookStage {
  stage: Stage
  baseUrl: string
  metricsUrl: string
  identity: Client<typeof Identity>
  sending: Client<typeof SendingInfra>
  intake: Client<typeof WebhookIntake>
  /** A provider connection of a workspace, through sending-infra; both are new unless given. */
  connection(options?: {
    workspaceId?: string
    keyName?: string | undefined
  }): Promise<{ id: string; workspaceId: string }>
  /** Sends a request to a connection's webhook URL. */
  send(connectionId: string, init: RequestInit, baseUrl?: string): Promise<WebhookAnswer>
  /** Delivers JSON, with a signature of the provider unless one is given. */
  deliver(connectionId: string, data: EventData, signature?: object): Promise<WebhookAnswer>
  /** The stored provider events, oldest first. */
  stored(connectionId: string): Promise<Record<string, unknown>[]>
  /** The published events of one kind, with their workspace. */
  announced<S extends DescMessage>(eventSchema: S): Promise<{ workspaceId: string; data: MessageShape<S> }[]>
  /** Starts another replica of the intake; returns its base URL. */
  replica(env?: Record<string, string>): Promise<string>
  /** How often sending-infra looked up a connection id. */
  timesResolved(): Promise<number>
  /** Stops another service for the rest of the file. */
  stopSending(): Promise<void>
  stopIdentity(): Promise<void>
  close(): Promise<void>
}

/** A provider event as Mailgun sends it. */
export const eventData = (more: EventData = {}): EventData => ({
  id: randomUUID(),
  event: 'delivered',
  timestamp: Date.now() / 1000,
  recipient: 'ada@example.test',
  message: { headers: { 'message-id': '20261121.1@mail.acme.test', subject: 'Hello' } },
  'user-variables': { message_id: '01890a5d-ac96-774b-bcce-b302099a8057' },
  ...more,
})

export const signed = (data: EventData, key = signingKey, timestamp?: string, token?: string) => ({
  signature: sign(key, timestamp, token),
  'event-data': data,
})

const steps = ['paths', '/webhooks/mailprovider/{connection_id}', 'post', 'responses', '200', 'content']
const isReceipt = schemasOf('public').compile([...steps, 'application/json', 'schema'])

/** The documented answers of this operation, which the gateway does not serve. */
function expectDocumented({ status, headers, text }: Omit<WebhookAnswer, 'json'>): void {
  expect(headers.get('x-correlation-id')).toMatch(/^[A-Za-z0-9._-]{8,128}$/)
  if (status !== 200) return expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  const receipt = JSON.parse(text) as object
  isReceipt(receipt)
  expect({ errors: isReceipt.errors, fields: Object.keys(receipt).sort() }).toEqual({
    errors: null,
    fields: ['id', 'status'],
  })
}

/** The intake with the real sending-infra and the real identity behind it. */
export async function webhookStage(env: Record<string, string> = {}): Promise<WebhookStage> {
  const stage = await openStage({ schemas: [schema, sendingSchema, identitySchema] })
  const [gatewayPort, sendingPort] = [await freePort(), await freePort()]
  const identityTarget = `127.0.0.1:${gatewayPort}`
  const sendingTarget = `127.0.0.1:${sendingPort}`
  const nobody = '127.0.0.1:9'
  const gateway = await stage.boot('gateway', startGateway, loadGateway, {
    RPC_PORT: String(gatewayPort),
    BASE_URL: 'http://127.0.0.1:8080',
    WALLET_BASE_URL: 'http://127.0.0.1:9',
    WALLET_CLIENT_ID: 'lettergate',
    WALLET_CLIENT_SECRET: 'test-wallet-secret',
    CONTACTS_CONSENT_TARGET: nobody,
    SENDING_INFRA_TARGET: sendingTarget,
    CAMPAIGNS_DELIVERY_TARGET: nobody,
    IMPORTS_TARGET: nobody,
    AUTOMATIONS_TARGET: nobody,
    WEBHOOK_INTAKE_TARGET: nobody,
  })
  const sendingInfra = await stage.boot('sending-infra', startSending, loadSending, {
    RPC_PORT: String(sendingPort),
    IDENTITY_TARGET: identityTarget,
    BASE_URL: 'http://127.0.0.1:8080',
    MAILPROVIDER_US_BASE_URL: 'http://127.0.0.1:9',
    MAILPROVIDER_EU_BASE_URL: 'http://127.0.0.1:9',
  })
  const bootIntake = (more: Record<string, string> = {}) =>
    stage.boot('webhook-intake', start, loadConfig, {
      IDENTITY_TARGET: identityTarget,
      SENDING_INFRA_TARGET: sendingTarget,
      MAILPROVIDER_WEBHOOK_SIGNING_KEY: signingKey,
      MAILPROVIDER_OTHER_SIGNING_KEY: otherKey,
      MAILPROVIDER_SHORT_KEY: 'short',
      ...env,
      ...more,
    })
  const intake = await bootIntake()
  const intakeRpc = await stage.client(WebhookIntake, intake.rpcPort)
  const identity = await stage.client(Identity, gatewayPort)
  const sending = await stage.client(SendingInfra, sendingPort)
  const baseUrl = `http://127.0.0.1:${intake.httpPort}`

  const send: WebhookStage['send'] = async (connectionId, init, origin = baseUrl) => {
    const response = await fetch(`${origin}/webhooks/mailprovider/${connectionId}`, { method: 'POST', ...init })
    const text = await response.text()
    const { status, headers } = response
    expectDocumented({ status, headers, text })
    return {
      status,
      headers,
      text,
      json: response.ok ? (JSON.parse(text) as WebhookAnswer['json']) : { status: '', id: '' },
    }
  }
  return {
    stage,
    baseUrl,
    metricsUrl: `http://127.0.0.1:${intake.healthPort}/metrics`,
    identity,
    sending,
    intake: intakeRpc,
    async connection(options = {}) {
      const { workspaceId = randomUUID() } = options
      const keyName = 'keyName' in options ? options.keyName : 'MAILPROVIDER_WEBHOOK_SIGNING_KEY'
      const { providerConnection } = await sending.createProviderConnection(stage.caller({ workspaceId }), {
        name: 'Provider',
        credentialEnvKey: 'MAILPROVIDER_API_KEY',
        ...(keyName === undefined ? {} : { webhookSigningEnvKey: keyName }),
      })
      return { id: providerConnection!.id, workspaceId }
    },
    send,
    deliver: (connectionId, data, signature = sign(signingKey)) =>
      send(connectionId, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ signature, 'event-data': data }),
      }),
    stored: (connectionId) =>
      stage.query('select * from webhooks.provider_events where connection_id = $1 order by id', [connectionId]),
    async announced(eventSchema) {
      const rows = await stage.query<{ workspace_id: string; payload: Buffer }>(
        'select workspace_id, payload from webhooks.outbox where event = $1 order by id',
        [eventName(eventSchema)],
      )
      return rows.map((row) => ({ workspaceId: row.workspace_id, data: fromBinary(eventSchema, row.payload) }))
    },
    replica: async (more) => `http://127.0.0.1:${(await bootIntake(more)).httpPort}`,
    async timesResolved() {
      const metrics = await (await fetch(`http://127.0.0.1:${sendingInfra.healthPort}/metrics`)).text()
      const counts = metrics.matchAll(
        /^lettergate_rpc_server_seconds_count\{.*method="ResolveProviderConnection".*\} (\d+)$/gm,
      )
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
    },
    stopSending: () => sendingInfra.stop(),
    stopIdentity: () => gateway.stop(),
    close: () => stage.close(),
  }
}

/** Expects an HTML page with that status and its correlation id. */
export function expectPage(answer: { status: number; headers: Headers; text: string }, status: number) {
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.text).toContain('<!doctype html>')
  expect(answer.headers.get('x-correlation-id')).toMatch(/^[A-Za-z0-9._-]{8,128}$/)
  expect(answer.text).toContain(answer.headers.get('x-correlation-id')!)
}

export const form = (fields: Record<string, string>) => ({ body: new URLSearchParams(fields) })
export const asForm = (data: EventData, signature: object = sign(signingKey)) =>
  form({ 'event-data': JSON.stringify(data), signature: JSON.stringify(signature) })
export function multipart(fields: Record<string, string | Blob>) {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  return { body }
}
export const json = (body: string, type = 'application/json') => ({ headers: { 'content-type': type }, body })

/** While another transaction locks the table of events, nothing can be stored. */
export async function withLockedEvents(world: WebhookStage, work: () => Promise<void>): Promise<void> {
  const holder = new pg.Client({ connectionString: world.stage.adminUrl })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('lock table webhooks.provider_events in access exclusive mode')
    await work()
    await holder.query('rollback')
  } finally {
    await holder.end()
  }
}
