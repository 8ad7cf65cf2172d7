import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client, credentials } from '@grpc/grpc-js'
import { service as healthService } from 'grpc-health-check'
import { loadConfig } from '@lettergate/imports/config'
import { until } from '@lettergate/stage'
import { openImports, type ImportsStage } from './imports-stage.ts'

let rig: ImportsStage

beforeAll(async () => {
  rig = await openImports()
})
afterAll(() => rig.close())

const health = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status

/** The standard health protocol, asked as a cluster's probe asks it. */
async function servingStatus(port: number, name: string): Promise<string> {
  const env = rig.stage.environment('imports')
  const [ca, key, cert] = ['TLS_CA_FILE', 'TLS_KEY_FILE', 'TLS_CERT_FILE'].map((name) => readFileSync(env[name]!))
  const client = new Client(`127.0.0.1:${port}`, credentials.createSsl(ca!, key!, cert!), {
    'grpc.ssl_target_name_override': 'imports',
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

test('the api role comes up on its own schema, is ready when the services answer that it asks, and says over gRPC that it serves', async () => {
  const { api: app } = rig
  expect(await health(app.healthPort, '/healthz')).toBe(200)
  await until(async () => (await health(app.healthPort, '/readyz')) === 200)
  expect(await servingStatus(app.rpcPort!, 'lettergate.imports.v1.Imports')).toBe('SERVING')
})

test('the worker role comes up, serves nothing but health and metrics, and counts the imports that wait for it', async () => {
  await rig.stored()
  const app = await rig.worker()
  await until(async () => (await health(app.healthPort, '/readyz')) === 200)
  expect(app.rpcPort).toBeUndefined()
  const metrics = await (await fetch(`http://127.0.0.1:${app.healthPort}/metrics`)).text()
  expect(metrics).toContain('lettergate_imports{status="uploaded",service="imports",role="worker"} 1\n')
  expect(metrics).toContain('lettergate_import_oldest_queued_seconds{service="imports",role="worker"} 0\n')
})

test('an unknown role does not start', () => {
  expect(() => loadConfig(rig.stage.environment('imports', { ...rig.env, ROLE: 'everything' }))).toThrow(/ROLE/)
})

test('on an address that others reach, and without TLS, the process does not start and says what to do', async () => {
  const main = new URL('../src/main.ts', import.meta.url).pathname
  const env = {
    ...rig.stage.environment('imports', rig.env),
    TLS_CA_FILE: '',
    TLS_CERT_FILE: '',
    TLS_KEY_FILE: '',
    BIND_ADDRESS: '0.0.0.0',
  }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect({ code, said }).toEqual({ code: 78, said: expect.stringMatching(/TLS_CA_FILE.*ALLOW_PLAINTEXT_PEERS=true/) })
})
