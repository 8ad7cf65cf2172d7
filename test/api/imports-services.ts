import { loadConfig } from '@lettergate/imports/config'
import { schema } from '@lettergate/imports/migrations'
import { start } from '@lettergate/imports/service'
import type { MoreServices } from '@lettergate/gateway/test/gateway-stage'

export const importKeys = `k1:${Buffer.alloc(32, 6).toString('base64url')}`

/** The real imports in both roles. */
export const importsServices: MoreServices = {
  schemas: [schema],
  async boot(stage, targets) {
    const environment = { ...targets, IMPORT_KEYS: importKeys }
    const { rpcPort } = await stage.boot('imports', start, loadConfig, { ...environment, ROLE: 'api' })
    await stage.boot('imports', start, loadConfig, { ...environment, ROLE: 'worker' })
    return { IMPORTS_TARGET: `127.0.0.1:${rpcPort}` }
  },
}
