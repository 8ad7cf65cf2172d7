// The public API. The operations of the console are in `@lettergate/client/console`.
import { routes, type ApiOperations } from '../gen/api.ts'
import { clientOf, type Client, type ClientOptions, type WorkspaceClient } from './client.ts'

export type * from '../gen/api.ts'
export { versionOfApi } from '../gen/api.ts'
export { inWorkspace, type CallOptions, type Client, type ClientOptions, type WorkspaceClient } from './client.ts'
export { bearer, browserSession, serviceKey, type Credential } from './credentials.ts'
export { InputError } from './build-request.ts'
export { idempotencyKey } from './idempotency-key.ts'
export { dataOf, LettergateError, type Failure, type Result, type Success } from './result.ts'

/** Every operation of the public API. */
export type ApiClient = Client<ApiOperations>
/** The same without the slugs of a workspace. */
export type ApiWorkspaceClient = WorkspaceClient<ApiOperations>

/** Opens the public API of a deployment. */
export const openApi = (options: ClientOptions): ApiClient => clientOf<ApiOperations>(routes, options)
