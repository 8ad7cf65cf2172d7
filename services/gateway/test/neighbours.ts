import type { Stage } from '@lettergate/stage'
import { startDns } from '@lettergate/local/dns/dns'
import { startMailProvider } from '@lettergate/local/mail-provider/mail-provider'
import { loadConfig as loadContacts } from '@lettergate/contacts-consent/config'
import { schema as contactsSchema } from '@lettergate/contacts-consent/migrations'
import { start as startContacts } from '@lettergate/contacts-consent/service'
import { loadConfig as loadSending } from '@lettergate/sending-infra/config'
import { schema as sendingSchema } from '@lettergate/sending-infra/migrations'
import { start as startSending } from '@lettergate/sending-infra/service'

export const neighbourSchemas = [contactsSchema, sendingSchema]
/** The key of links in emails from before the signing key was changed. */
export const oldSigningKey = `k1:${Buffer.alloc(32, 1).toString('base64url')}`
export const publicOrigin = 'http://127.0.0.1:8080'

/** A real service beside the gateway. */
export interface Neighbour {
  rpcPort: number
  healthPort: number
}

export interface Neighbours {
  contacts: Neighbour
  sending: Neighbour
  /** the URL of the stand-in of the mail provider */
  providerUrl: string
  /** Stops the stand-ins; the services stop with the stage. */
  stop(): Promise<void>
}

/** Starts contacts-consent and sending-infra as in production, with the stand-ins for the mail provider and the DNS behind them. */
export async function bootNeighbours(stage: Stage, identityTarget: string): Promise<Neighbours> {
  const dns = await startDns()
  const provider = await startMailProvider({ apiKey: 'dev-api-key', signingKey: 'dev-webhook-signing-key', dns })
  const contacts = await stage.boot('contacts-consent', startContacts, loadContacts, {
    BASE_URL: publicOrigin,
    PREFERENCE_SIGNING_KEYS: `k2:${Buffer.alloc(32, 2).toString('base64url')},${oldSigningKey}`,
    CONSENT_PROOF_SIGNING_KEY: `p1:${Buffer.alloc(32, 3).toString('base64url')}`,
    ERASURE_HASH_KEYS: `e1:${Buffer.alloc(32, 5).toString('base64url')}`,
  })
  const sending = await stage.boot('sending-infra', startSending, loadSending, {
    IDENTITY_TARGET: identityTarget,
    BASE_URL: publicOrigin,
    MAILPROVIDER_US_BASE_URL: provider.url,
    MAILPROVIDER_EU_BASE_URL: provider.url,
    MAILPROVIDER_API_KEY: 'dev-api-key',
    DNS_SERVERS: dns.address,
  })
  return {
    contacts,
    sending,
    providerUrl: provider.url,
    async stop() {
      await provider.stop()
      await dns.stop()
    },
  }
}

/** The number of calls of an rpc, from the metrics of its service. */
export async function timesAsked({ healthPort }: Neighbour, method: string): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()
  const counts = metrics.matchAll(/^lettergate_rpc_server_seconds_count\{(.*)\} (\d+)$/gm)
  return [...counts].reduce(
    (sum, [, labels, count]) => sum + (labels!.includes(`method="${method}"`) ? Number(count) : 0),
    0,
  )
}

/** Runs the work while the database has closed the connections of the role and refuses new ones. */
export async function withoutDatabase(stage: Stage, role: string, work: () => Promise<void>): Promise<void> {
  const limit = (connections: number) =>
    stage.query(
      `do $$ begin execute format('alter database %I connection limit ${connections}', current_database()); end $$`,
    )
  await limit(0)
  try {
    await stage.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = $1',
      [role],
    )
    await work()
  } finally {
    await limit(-1)
  }
}
