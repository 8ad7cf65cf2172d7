import { loadConfig } from '../../campaigns-delivery/src/config.ts'
import { schema } from '../../campaigns-delivery/src/db/migrations.ts'
import { start } from '../../campaigns-delivery/src/service.ts'
import type { Beside } from './gateway-stage.ts'

/** The real campaigns-delivery in its api role, which asks no provider. */
export const campaignsBeside: Beside = {
  schemas: [schema],
  async boot(stage, targets) {
    const { rpcPort } = await stage.boot('campaigns-delivery', start, loadConfig, {
      ...targets,
      ROLE: 'api',
      BASE_URL: 'http://127.0.0.1:8080',
      MAILPROVIDER_US_BASE_URL: 'http://127.0.0.1:9',
      MAILPROVIDER_EU_BASE_URL: 'http://127.0.0.1:9',
    })
    return { CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${rpcPort}` }
  },
}
