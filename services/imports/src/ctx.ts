import type { Context } from '@lettergate/database'
import type { Config } from './config.ts'

export interface Deps {
  config: Config
}

export type Ctx = Context<Deps>
