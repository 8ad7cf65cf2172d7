import { loadConfig } from '@lettergate/campaigns-delivery/config'
import { schema } from '@lettergate/campaigns-delivery/migrations'
import { start } from '@lettergate/campaigns-delivery/service'
import { startBuilder } from '@lettergate/campaigns-delivery/test/snapshot-builder'
import type { MoreServices } from '@lettergate/gateway/test/gateway-stage'

type Boot = MoreServices['boot']

const environment = (targets: Record<string, string>) => ({
  ...targets,
  BASE_URL: 'http://127.0.0.1:8080',
  MAILPROVIDER_US_BASE_URL: 'http://127.0.0.1:9',
  MAILPROVIDER_EU_BASE_URL: 'http://127.0.0.1:9',
})

/** Only the api role, which calls no provider; the worker of another process builds the snapshots. */
export const campaignsApi: Boot = async (stage, targets) => {
  const { rpcPort } = await stage.boot('campaigns-delivery', start, loadConfig, {
    ...environment(targets),
    ROLE: 'api',
  })
  return { CAMPAIGNS_DELIVERY_TARGET: `127.0.0.1:${rpcPort}`, CAMPAIGNS_WORKER_TARGET: '127.0.0.1:9' }
}

/** The real campaigns-delivery in its api role, and the part of a worker that builds snapshots. */
export const campaignsServices: MoreServices = {
  schemas: [schema],
  async boot(stage, targets) {
    const api = await campaignsApi(stage, targets)
    await stage.boot('campaigns-delivery', startBuilder, loadConfig, { ...environment(targets), ROLE: 'worker' })
    return api
  },
}
