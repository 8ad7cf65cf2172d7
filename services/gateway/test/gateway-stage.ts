import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceSchema } from '@lettergate/database/migrate'
import type { Service } from '@lettergate/service'
import { openStage, type Stage } from '@lettergate/stage'
import { freePort } from '@lettergate/stage/ports'
import { startWallet } from '@lettergate/local/wallet/wallet'
import { loadConfig } from '../src/config.ts'
import { schema } from '../src/db/migrations.ts'
import { seed } from '../src/seed.ts'
import { start } from '../src/service.ts'
import { bootNeighbours, neighbourSchemas, publicOrigin, type Neighbour } from './neighbours.ts'

export interface GatewayStage {
  stage: Stage
  baseUrl: string
  walletUrl: string
  providerUrl: string
  rpcPort: number
  healthPort: number
  service: Service
  contacts: Neighbour
  sending: Neighbour
  /** the targets of the other services, for a further service */
  targets: Record<string, string>
  /** One request, with the token `wallet-session-dev-<as>` when `as` is given. */
  call(method: string, path: string, options?: GatewayCallOptions): Promise<GatewayAnswer>
  /** The control routes of the wallet. */
  lever(path: string, body: object): Promise<Record<string, unknown>>
  /** Another gateway with the same database and services, and another environment. */
  replica(env: Record<string, string>): Promise<Pick<GatewayStage, 'call' | 'baseUrl' | 'rpcPort'>>
  close(): Promise<void>
}

export interface GatewayCallOptions {
  as?: string
  headers?: Record<string, string>
  /** sent as JSON unless it is a string or bytes */
  body?: unknown
}

export interface GatewayAnswer {
  status: number
  headers: Headers
  text: string
  json: Record<string, unknown>
}

/** More real services for tests that need them. `boot` gets the targets of the others and returns settings of the gateway. */
export interface MoreServices {
  schemas: readonly ServiceSchema[]
  boot(stage: Stage, targets: Record<string, string>): Promise<Record<string, string>>
}

/** A port without a listener: connections are refused at once. */
const nobody = '127.0.0.1:9'

/** Why a gateway whose machine stood still for a moment refuses a request before anything is done. */
const passing = new Set(['wallet', 'database', 'busy'])

/** `isOutage`: a test made the wallet unreachable, and wants to see the refusal. */
const callsTo =
  (baseUrl: string, isOutage: () => boolean): GatewayStage['call'] =>
  async (method, path, { as, headers = {}, body } = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const request: RequestInit = {
      method,
      redirect: 'manual',
      headers: {
        ...(as === undefined ? {} : { authorization: `Bearer wallet-session-dev-${as}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    }
    const ask = () => fetch(`${baseUrl}${path}`, request)
    const isPassing = ({ status, headers: of }: Response) =>
      status === 503 && passing.has(of.get('x-error-reason') ?? '') && !isOutage()
    let response = await ask()
    for (let tries = 1; tries <= 4 && isPassing(response); tries += 1) {
      await response.arrayBuffer()
      await sleep(200 * tries)
      response = await ask()
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {},
    }
  }

/**
 * The real gateway with seeded data, the real contacts-consent and sending-infra, and the stand-in wallet. The other
 * services do not run.
 */
export async function gatewayStage(env: Record<string, string> = {}, more?: MoreServices): Promise<GatewayStage> {
  const stage = await openStage({ schemas: [schema, ...neighbourSchemas, ...(more?.schemas ?? [])] })
  await seed(stage.databaseUrl(schema.role))
  const wallet = await startWallet({ clientId: 'lettergate', clientSecret: 'test-wallet-secret' })
  const rpcPort = await freePort()
  const { contacts, sending, providerUrl, ...outside } = await bootNeighbours(stage, `127.0.0.1:${rpcPort}`)
  const walletUrl = wallet.url
  let isWalletOut = false
  const targets = {
    IDENTITY_TARGET: `127.0.0.1:${rpcPort}`,
    CONTACTS_CONSENT_TARGET: `127.0.0.1:${contacts.rpcPort}`,
    SENDING_INFRA_TARGET: `127.0.0.1:${sending.rpcPort}`,
    IMPORTS_TARGET: nobody,
    WEBHOOK_INTAKE_TARGET: nobody,
    MAILPROVIDER_US_BASE_URL: providerUrl,
    MAILPROVIDER_EU_BASE_URL: providerUrl,
  }
  const moreTargets = await more?.boot(stage, targets)
  const environment = {
    RPC_PORT: String(rpcPort),
    BASE_URL: publicOrigin,
    WALLET_BASE_URL: walletUrl,
    WALLET_CLIENT_ID: 'lettergate',
    WALLET_CLIENT_SECRET: 'test-wallet-secret',
    SERVICE_API_KEY: 'test-service-key',
    VALIDATE_RESPONSES: 'true',
    CONTACTS_CONSENT_TARGET: `127.0.0.1:${contacts.rpcPort}`,
    SENDING_INFRA_TARGET: `127.0.0.1:${sending.rpcPort}`,
    CAMPAIGNS_DELIVERY_TARGET: nobody,
    IMPORTS_TARGET: nobody,
    AUTOMATIONS_TARGET: nobody,
    WEBHOOK_INTAKE_TARGET: nobody,
    ...moreTargets,
    ...env,
  }
  const gateway = await stage.boot('gateway', start, loadConfig, environment)
  const baseUrl = `http://127.0.0.1:${gateway.httpPort}`
  return {
    stage,
    baseUrl,
    walletUrl,
    providerUrl,
    rpcPort: gateway.rpcPort,
    healthPort: gateway.healthPort,
    service: gateway.service,
    contacts,
    sending,
    targets,
    call: callsTo(baseUrl, () => isWalletOut),
    lever: async (path, body) => {
      if (path === '/dev/outage') isWalletOut = (body as { enabled: boolean }).enabled
      const response = await fetch(`${walletUrl}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return (await response.json()) as Record<string, unknown>
    },
    async replica(other) {
      const { httpPort, rpcPort: otherRpcPort } = await stage.boot('gateway', start, loadConfig, {
        ...environment,
        RPC_PORT: '0',
        ...other,
      })
      const url = `http://127.0.0.1:${httpPort}`
      return { baseUrl: url, call: callsTo(url, () => isWalletOut), rpcPort: otherRpcPort }
    },
    async close() {
      await stage.close()
      await Promise.all([outside.stop(), wallet.stop()])
    },
  }
}

export const newsletter = '/api/v1/organizations/acme/workspaces/newsletter'
export const lab = '/api/v1/organizations/acme/workspaces/synthetic-lab'
