import { loadConfig } from '@lettergate/automations/config'
import { schema } from '@lettergate/automations/migrations'
import { start } from '@lettergate/automations/service'
import { schema as campaignsSchema } from '@lettergate/campaigns-delivery/migrations'
import type { MoreServices } from '@lettergate/gateway/test/gateway-stage'
import { campaignsApi } from './campaigns-services.ts'

/** The real automations, and campaigns-delivery, which owns the emails that automations name. */
export const automationsServices: MoreServices = {
  schemas: [campaignsSchema, schema],
  async boot(stage, targets) {
    const campaigns = await campaignsApi(stage, targets)
    const { rpcPort } = await stage.boot('automations', start, loadConfig, { ...targets, ...campaigns, ROLE: 'api' })
    return { ...campaigns, AUTOMATIONS_TARGET: `127.0.0.1:${rpcPort}` }
  },
}

/** The same with a worker, so that triggers enrol. */
export const automationsWithWorker: MoreServices = {
  ...automationsServices,
  async boot(stage, targets) {
    const more = await automationsServices.boot(stage, targets)
    await stage.boot('automations', start, loadConfig, { ...targets, ...more, ROLE: 'worker' })
    return more
  },
}
