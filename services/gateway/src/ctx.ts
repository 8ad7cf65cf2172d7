import type { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import type { Context } from '@lettergate/database'
import type { Client } from '@lettergate/rpc'
import type { Caller } from '@lettergate/service'
import type { Ceilings } from './gates/gates.ts'

export interface Deps {
  ceilings: Ceilings
  deploymentEnvironment: string
  sending: Pick<Client<typeof SendingInfra>, 'hasReadySender'>
  /** the browser session of the caller */
  session: { id: string; csrfToken: string } | null
  /** the same caller with access to the rows of every workspace: for their own workspaces and for the platform */
  acrossWorkspaces(caller: Caller): Context<object>
  /** whether alerts are posted to a receiver */
  hasAlertWebhook: boolean
  /** called after a changed gate is committed */
  gatesChanged(): Promise<void>
}
export type Ctx = Context<Deps>
