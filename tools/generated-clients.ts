import { clientCode } from './client-code.ts'
import { toolCode } from './tool-code.ts'

/** Every generated file of the clients, by its path from the root of the project. */
export const generatedClients = (): Record<string, string> => ({
  'clients/typescript/gen/api.ts': clientCode('public'),
  'clients/typescript/gen/console.ts': clientCode('console'),
  'clients/mcp/gen/tools.ts': toolCode(),
})
