import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import { Fault } from '@lettergate/fault'
import { serveRpc, type Operations } from '@lettergate/rpc'
import { createService, type CallScope, type Service } from '@lettergate/service'
import { openStage, type Stage } from '@lettergate/stage'
import type { DescService } from '@bufbuild/protobuf'
import { startWallet } from '../../../deploy/local/wallet/wallet.ts'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { seed } from '../src/seed.ts'
import { start } from '../src/service.ts'

/** What a neighbour was asked, and by whom. */
export interface Asked {
  method: string
  scope: CallScope
  request: object
}

type Answers = Record<string, (request: object, scope: CallScope) => object | Promise<object>>

/** A neighbour on a real port that answers what a test says and records who asked; everything else it refuses. */
async function neighbour(rpc: DescService, answers: Answers, asked: Asked[]) {
  const service = createService('neighbour', { logLevel: 'silent' })
  const operations = Object.fromEntries(
    rpc.methods.map((method) => [
      method.localName,
      async (scope: CallScope, request: object) => {
        asked.push({ method: method.localName, scope, request })
        const answer = answers[method.localName]
        if (!answer) throw new Fault('unavailable', 'unimplemented', 'Nothing answers this here.')
        return answer(request, scope)
      },
    ]),
  ) as unknown as Operations<DescService, CallScope>
  const { port } = await service.use(serveRpc(service, { port: 0, rpc, operations, ctxOf: (scope) => scope }))
  return { target: `127.0.0.1:${port}`, stop: () => service.stop() }
}

export interface GatewayStage {
  stage: Stage
  baseUrl: string
  walletUrl: string
  rpcPort: number
  healthPort: number
  notOffered: readonly string[]
  service: Service
  contacts: Answers
  sending: Answers
  asked: Asked[]
  /** One request, with the token `wallet-session-dev-<as>` when `as` is given. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** The wallet's levers. */
  lever(path: string, body: object): Promise<Record<string, unknown>>
  close(): Promise<void>
}

export interface CallOptions {
  as?: string
  headers?: Record<string, string>
  /** sent as JSON unless it is a string or bytes */
  body?: unknown
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  json: Record<string, unknown>
}

/** The real gateway, seeded, with the stand-in wallet and neighbours that the test scripts. */
export async function gatewayStage(env: Record<string, string> = {}): Promise<GatewayStage> {
  const stage = await openStage({ schemas: [schema] })
  await seed(stage.databaseUrl(schema.role))
  const wallet = await startWallet({ clientId: 'lettergate', clientSecret: 'test-wallet-secret' })
  const asked: Asked[] = []
  const contacts: Answers = {}
  const sending: Answers = {}
  const contactsRpc = await neighbour(ContactsConsent, contacts, asked)
  const sendingRpc = await neighbour(SendingInfra, sending, asked)
  const nobody = '127.0.0.1:9'
  const walletUrl = wallet.url
  const gateway = await stage.boot('gateway', start, loadConfig, {
    BASE_URL: 'http://127.0.0.1:8080',
    WALLET_BASE_URL: walletUrl,
    WALLET_CLIENT_ID: 'lettergate',
    WALLET_CLIENT_SECRET: 'test-wallet-secret',
    SERVICE_API_KEY: 'test-service-key',
    VALIDATE_RESPONSES: 'true',
    CONTACTS_CONSENT_TARGET: contactsRpc.target,
    SENDING_INFRA_TARGET: sendingRpc.target,
    CAMPAIGNS_DELIVERY_TARGET: nobody,
    IMPORTS_TARGET: nobody,
    AUTOMATIONS_TARGET: nobody,
    WEBHOOK_INTAKE_TARGET: nobody,
    ...env,
  })
  const baseUrl = `http://127.0.0.1:${gateway.httpPort}`
  const call: GatewayStage['call'] = async (method, path, { as, headers = {}, body } = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(as === undefined ? {} : { authorization: `Bearer wallet-session-dev-${as}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {},
    }
  }
  return {
    stage,
    baseUrl,
    walletUrl,
    rpcPort: gateway.rpcPort,
    healthPort: gateway.healthPort,
    notOffered: gateway.notOffered,
    service: gateway.service,
    contacts,
    sending,
    asked,
    call,
    lever: async (path, body) => {
      const response = await fetch(`${walletUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return (await response.json()) as Record<string, unknown>
    },
    async close() {
      await stage.close()
      await Promise.all([contactsRpc.stop(), sendingRpc.stop(), wallet.stop()])
    },
  }
}

export const newsletter = '/api/v1/organizations/acme/workspaces/newsletter'
export const lab = '/api/v1/organizations/acme/workspaces/synthetic-lab'
