import { lookup as systemLookup, Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** True when a name resolved to an address that is not public. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ADDRESS_FORBIDDEN'

const forbidden = () =>
  Object.assign(new Error('the name leads to an address that is not public'), { code: 'ADDRESS_FORBIDDEN' })

/** Asks the DNS directly, without the thread pool that other lookups of the process use. */
async function askDns(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length === 0) throw (answers[0] as PromiseRejectedResult).reason
  return addresses
}

const askSystem = async (host: string): Promise<string[]> =>
  (await systemLookup(host, { all: true })).map(({ address }) => address)

type ResolveHost = (host: string) => Promise<string[]>

/** Answers a socket's lookup with every address of the name, or with an error. */
async function lookUp(
  ask: ResolveHost,
  mayUse: (address: string) => boolean,
  [host, options, callback]: Parameters<LookupFunction>,
) {
  let addresses: string[]
  try {
    addresses = await ask(host)
    if (!addresses.every(mayUse)) throw forbidden()
  } catch (error) {
    return callback(error as NodeJS.ErrnoException, '', 0)
  }
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  if (options.all) callback(null, found)
  else callback(null, found[0]!.address, found[0]!.family)
}

/**
 * The lookup of a new connection. The socket connects only to an address that was checked here, so a DNS change after the
 * check has no effect. One address that is not public blocks the whole name.
 */
export const publicLookup =
  (ask: ResolveHost = askDns): LookupFunction =>
  (...question) =>
    void lookUp(ask, isPublicAddress, question)

const guarded = publicLookup()
const unguarded: LookupFunction = (...question) => void lookUp(askSystem, () => true, question)

/** Returns the lookup for this installation: checked, unless private addresses are allowed. */
export const lookupFor = (allowPrivate: boolean): LookupFunction => (allowPrivate ? unguarded : guarded)
