import { loadConfig } from '@lettergate/campaigns-delivery/config'
import { schema } from '@lettergate/campaigns-delivery/migrations'
import { start } from '@lettergate/campaigns-delivery/service'
import { startBuilder } from '@lettergate/campaigns-delivery/test/snapshot-builder'
import type { Beside } from '@lettergate/gateway/test/gateway-stage'

type Boot = Beside['boot']

const environment = (targets: Record<string, string>) => ({
  ...targets,
  BASE_URL: 'http://127.0.0.1:8080',
  MAILPROVIDER_US_BASE_URL: 'http://127.0.0.1:9',
  MAILPROVIDER_EU_BASE_URL: 'http://127.0.0.1:9',
})

/** The api role alone, which asks no provider: what it accepts is built by the worker of another one beside it. */
export const campaignsApi: Boot = async (stage, targets) => {
  const { rpcPort } = await stage.boot('campaigns-delivery', start, loadConfig, {
    ...environment(targets),
    ROLE: 'api',
  })
  return { CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${rpcPort}` }
}

/** The real campaigns-delivery in its api role, and what a worker does for snapshots. */
export const campaignsBeside: Beside = {
  schemas: [schema],
  async boot(stage, targets) {
    const api = await campaignsApi(stage, targets)
    await stage.boot('campaigns-delivery', startBuilder, loadConfig, { ...environment(targets), ROLE: 'worker' })
    return api
  },
}
