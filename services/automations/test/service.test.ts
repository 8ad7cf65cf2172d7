import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client, credentials } from '@grpc/grpc-js'
import { service as healthService } from 'grpc-health-check'
import { openStage, type Stage } from '@lettergate/stage'
import { loadConfig } from '@lettergate/automations/config'
import { schema } from '@lettergate/automations/migrations'
import { start } from '@lettergate/automations/service'

let stage: Stage

const nobody = '127.0.0.1:9'
const targets = {
  CONTACTS_CONSENT_TARGET: nobody,
  CAMPAIGNS_DELIVERY_TARGET: nobody,
  CAMPAIGNS_WORKER_TARGET: nobody,
  IDENTITY_TARGET: nobody,
}

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
})
afterAll(() => stage.close())

const health = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status

/** The standard health protocol, asked as a cluster's probe asks it. */
async function servingStatus(port: number, name: string): Promise<string> {
  const env = stage.environment('automations')
  const [ca, key, cert] = ['TLS_CA_FILE', 'TLS_KEY_FILE', 'TLS_CERT_FILE'].map((name) => readFileSync(env[name]!))
  const client = new Client(`127.0.0.1:${port}`, credentials.createSsl(ca!, key!, cert!), {
    'grpc.ssl_target_name_override': 'automations',
  })
  const { path, requestSerialize, responseDeserialize } = healthService['Check'] as {
    path: string
    requestSerialize: (request: object) => Buffer
    responseDeserialize: (bytes: Buffer) => { status: string }
  }
  try {
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service: name }, (error, reply) =>
        error ? reject(error) : resolve(reply!.status),
      )
    })
  } finally {
    client.close()
  }
}

test('the api role comes up on its own schema, is not ready as long as the services that it asks do not answer, and serves gRPC', async () => {
  const app = await stage.boot('automations', start, loadConfig, targets)
  expect(await health(app.healthPort, '/healthz')).toBe(200)
  expect(await health(app.healthPort, '/readyz')).toBe(503)
  expect(await servingStatus(app.rpcPort!, 'lettergate.automations.v1.Automations')).toMatch(/SERVING/)
})

test('the worker role comes up and serves nothing but health', async () => {
  const app = await stage.boot('automations', start, loadConfig, { ...targets, ROLE: 'worker' })
  expect(await health(app.healthPort, '/healthz')).toBe(200)
  expect(app.rpcPort).toBeUndefined()
})

test('an unknown role does not start', () => {
  expect(() => loadConfig(stage.environment('automations', { ...targets, ROLE: 'everything' }))).toThrow(/ROLE/)
})
