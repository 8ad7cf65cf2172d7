import { setTimeout as sleep } from 'node:timers/promises'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { Fault } from '@lettergate/fault'
import { createService, systemCaller, type CallScope, type Service } from '@lettergate/service'
import { freePort } from '@lettergate/stage/ports'
import { connect, serveRpc, type Client, type Operations } from '../src/rpc.ts'
import type { ConnectOptions } from '../src/connect.ts'

/** A call that arrived at a server, named by the address in its request. */
export interface ArrivedCall {
  email: string
  signal: AbortSignal
  /** lets a held operation continue */
  release: () => void
}

export interface Replica {
  readonly port: number
  readonly arrivals: ArrivedCall[]
  readonly service: Service
  stop(): Promise<void>
}

/** A server that answers with the requested address. The part before the @ selects the behaviour: `fault`, `bug`, `hold`, `slow-<ms>`, `large-<bytes>`. */
export async function replica(port?: number, bindAddress = '127.0.0.1'): Promise<Replica> {
  const service = createService('replica', { logLevel: 'silent', bindAddress })
  const arrivals: ArrivedCall[] = []
  const operations = {
    async lookupContact({ signal }: CallScope, { email }: { email: string }) {
      const { promise, resolve } = Promise.withResolvers<void>()
      arrivals.push({ email, signal, release: resolve })
      const [how = '', amount] = email.split('@')[0]!.split('-')
      if (how === 'fault') throw new Fault('conflict', 'ünï', `not ${email}`)
      if (how === 'bug') throw new TypeError('a secret detail')
      if (how === 'hold') await promise
      if (how === 'slow') await sleep(Number(amount))
      return { contact: { id: String(port), email, firstName: how === 'large' ? 'x'.repeat(Number(amount)) : how } }
    },
    async *streamAudienceVerdicts() {
      for (let n = 0; n < 50; n += 1) {
        yield { verdicts: [{ contactId: String(n) }] }
        await sleep(5)
      }
    },
  } as unknown as Operations<typeof ContactsConsent, CallScope>
  const server = await service.use(
    serveRpc(service, { port: port ?? (await freePort()), rpc: ContactsConsent, operations, ctxOf: (scope) => scope }),
  )
  return { port: server.port, arrivals, service, stop: () => service.stop() }
}

/** A client in a service of its own, and a function that makes a call by address. */
export async function caller(target: string | number, options: ConnectOptions = {}) {
  const service = createService('caller', { logLevel: 'silent' })
  const client: Client<typeof ContactsConsent> = await service.use(
    connect(service, typeof target === 'number' ? `127.0.0.1:${target}` : target, ContactsConsent, {
      timeoutMs: 60_000,
      ...options,
    }),
  )
  const scope = (deadline = Infinity, signal = new AbortController().signal): CallScope => ({
    caller: { ...systemCaller('test', 'corr-12345678'), organization: 'acmé' },
    deadline,
    signal,
  })
  const ask = async (email: string, options: { forMs?: number; signal?: AbortSignal } = {}) =>
    (await client.lookupContact(scope(Date.now() + (options.forMs ?? 20_000), options.signal), { email })).contact!
  return { client, scope, ask, stop: () => service.stop() }
}

export const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n)
