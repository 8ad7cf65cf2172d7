// The operations of the operator console, for a browser session only.
import { routes, type ConsoleOperations } from '../gen/console.ts'
import { clientOf, type Client, type ClientOptions, type WorkspaceClient } from './client.ts'

export type * from '../gen/console.ts'

/** Every operation of the console. */
export type ConsoleClient = Client<ConsoleOperations>
/** The same without the slugs of a workspace. */
export type ConsoleWorkspaceClient = WorkspaceClient<ConsoleOperations>

/** Opens the console of a deployment, with `browserSession` as its credential. */
export const openConsole = (options: ClientOptions): ConsoleClient => clientOf<ConsoleOperations>(routes, options)
