import type { Identity } from '@lettergate/contracts/identity/v1/identity'
import type { Context } from '@lettergate/database'
import type { Client } from '@lettergate/rpc'
import type { Config } from './config.ts'
import type { Measures } from './measures.ts'
import type { MailProvider } from './provider/mailgun/mailgun.ts'
import type { DnsQuestions } from './verification/dns-questions.ts'

export interface Deps {
  config: Config
  identity: Client<typeof Identity>
  /** workspace id to the slug of its organization, as far as it was asked for; slugs do not change */
  organizations: Map<string, string>
  provider: MailProvider
  dns: DnsQuestions
  measures: Measures
  /** For the one question that comes without a workspace, on connections of its own: whose connection an id is. */
  acrossWorkspaces: (job: string) => Ctx
}

/** What every operation of this service is given first. */
export type Ctx = Context<Deps>
