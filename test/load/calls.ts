// node test/load/calls.ts [plain]: the cost of one call between two services, as a separate call and over a shared stream,
// with mutual TLS or in plain text. It measures processor time, in turns, so that other work on the machine has little effect.
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromBinary, toBinary, create } from '@bufbuild/protobuf'
import { Client as GrpcClient, credentials } from '@grpc/grpc-js'
import {
  ContactsConsent,
  UpsertContactRequestSchema,
  UpsertContactResponseSchema,
} from '@lettergate/contracts/contacts/v1/contacts'
import { connect } from '@lettergate/rpc'
import { plainCall } from '@lettergate/rpc/plain-call'
import { createService, systemCaller, type CallScope } from '@lettergate/service'
import { ensureCertificates } from '@lettergate/stage/certificates'

const callsPerTurn = 4_000
const turns = 5

type Send = (scope: CallScope, n: number) => Promise<unknown>

async function usedBy(child: ChildProcess): Promise<NodeJS.CpuUsage> {
  child.send('cpu')
  const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage]
  return usage
}
const microseconds = (before: NodeJS.CpuUsage, after: NodeJS.CpuUsage) =>
  after.user + after.system - before.user - before.system
const median = (numbers: number[]) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)]!

async function run(send: Send, inFlight: number, calls: number): Promise<void> {
  let left = calls
  const caller = {
    ...systemCaller('bench', 'correlation-1'),
    workspaceId: '019a0000-0000-7000-8000-000000000001',
    organization: 'acme',
    workspace: 'newsletter',
    role: 'owner',
  }
  const worker = async () => {
    while ((left -= 1) >= 0)
      await send({ caller, deadline: Date.now() + 10_000, signal: new AbortController().signal }, left)
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

const directory = process.argv[2] === 'plain' ? undefined : mkdtempSync(join(tmpdir(), 'lettergate-calls-'))
const tls =
  directory === undefined
    ? undefined
    : (await ensureCertificates(directory, ['gateway', 'contacts-consent']))['gateway']
const child = fork(new URL('calls-server.ts', import.meta.url).pathname, directory ? [directory] : [])
const [port] = (await once(child, 'message')) as [number]
const target = `127.0.0.1:${port}`
const service = createService('gateway', { logLevel: 'warn', tls })
const client = await service.use(connect(service, target, ContactsConsent))
const channelCredentials = tls
  ? credentials.createSsl(readFileSync(tls.ca), readFileSync(tls.key), readFileSync(tls.cert))
  : credentials.createInsecure()
const channel = new GrpcClient(target, channelCredentials, { 'grpc.ssl_target_name_override': 'contacts-consent' })
const person = (n: number) => ({ email: `person.${n}@example.test`, firstName: `Name ${n}`, source: 'bench' })
const ways: Record<string, Send> = {
  'by itself': async (scope, n) => {
    const bytes = toBinary(UpsertContactRequestSchema, create(UpsertContactRequestSchema, person(n)))
    const content = {
      method: `${ContactsConsent.typeName}/UpsertContact`,
      request: Buffer.from(bytes),
      caller: scope.caller,
      trace: {},
      deadline: scope.deadline,
    }
    return fromBinary(
      UpsertContactResponseSchema,
      await plainCall(channel, ContactsConsent.typeName, content, scope.signal),
    )
  },
  'over a stream': (scope, n) => client.upsertContact(scope, person(n)),
}

process.stdout.write('in flight  way            caller µs  server µs  calls/s\n')
for (const inFlight of [1, 8, 32]) {
  const figures = new Map(Object.keys(ways).map((way) => [way, { caller: [], server: [], rate: [] } as Figures]))
  for (let turn = 0; turn <= turns; turn += 1) {
    for (const [way, send] of Object.entries(ways)) {
      const [ownBefore, otherBefore, began] = [process.cpuUsage(), await usedBy(child), performance.now()]
      await run(send, inFlight, callsPerTurn)
      const seconds = (performance.now() - began) / 1_000
      const [own, other] = [process.cpuUsage(), await usedBy(child)]
      if (turn === 0) continue // the first turn is the warm-up
      const figure = figures.get(way)!
      figure.caller.push(microseconds(ownBefore, own) / callsPerTurn)
      figure.server.push(microseconds(otherBefore, other) / callsPerTurn)
      figure.rate.push(callsPerTurn / seconds)
    }
  }
  for (const [way, { caller, server, rate }] of figures) {
    const cells = [median(caller), median(server), median(rate)].map((value) => value.toFixed(0).padStart(9))
    process.stdout.write(`${String(inFlight).padStart(9)}  ${way.padEnd(13)}  ${cells.join('  ')}\n`)
  }
}
channel.close()
await service.stop()
child.disconnect()
if (directory) rmSync(directory, { recursive: true })

interface Figures {
  caller: number[]
  server: number[]
  rate: number[]
}
