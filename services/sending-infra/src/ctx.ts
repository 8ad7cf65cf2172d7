import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Context } from '@lettergate/database'
import type { Client } from '@lettergate/rpc'
import type { Config } from './config.ts'
import type { SendingMetrics } from './metrics.ts'
import type { MailProvider } from './provider/mailgun/mailgun.ts'
import type { DnsClient } from './verification/dns-client.ts'

export interface Deps {
  config: Config
  identity: Client<typeof Identity>
  /** a cache from workspace id to the slug of its organization; slugs do not change */
  organizations: Map<string, string>
  provider: MailProvider
  dns: DnsClient
  metrics: SendingMetrics
  /** A context without a workspace and with its own database pool, to find the workspace of a connection id. */
  acrossWorkspaces: (job: string) => Ctx
}

/** The first argument of every operation of this service. */
export type Ctx = Context<Deps>
