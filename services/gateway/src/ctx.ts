import type { SendingInfra } from '@lettergate/contracts/sending/v1/sending'
import type { Context } from '@lettergate/database'
import type { Client } from '@lettergate/rpc'
import type { Caller } from '@lettergate/service'
import type { Ceilings } from './gates/gates.ts'

export interface Deps {
  ceilings: Ceilings
  sending: Pick<Client<typeof SendingInfra>, 'hasReadySender'>
  /** the caller's own, when they came with a browser session */
  csrfToken: string | null
  /** the same caller seeing the rows of every workspace: for questions about themselves and about the platform */
  acrossWorkspaces(caller: Caller): Context<object>
  /** run after a gate's row changed, once it is committed */
  gatesChanged(): Promise<void>
}
export type Ctx = Context<Deps>
