import { loadConfig as loadAutomations } from '@lettergate/automations/config'
import { schema as automationsSchema } from '@lettergate/automations/migrations'
import { start as startAutomations } from '@lettergate/automations/service'
import { loadConfig as loadImports } from '@lettergate/imports/config'
import { schema as importsSchema } from '@lettergate/imports/migrations'
import { start as startImports } from '@lettergate/imports/service'
import { loadConfig as loadIntake } from '@lettergate/webhook-intake/config'
import { schema as intakeSchema } from '@lettergate/webhook-intake/migrations'
import { start as startIntake } from '@lettergate/webhook-intake/service'
import { campaignsServices } from './campaigns-services.ts'
import type { MoreServices } from '@lettergate/gateway/test/gateway-stage'

const importKeys = `k1:${Buffer.alloc(32, 6).toString('base64url')}`

/** Every other service with rpcs, started as in production. */
export const allServices: MoreServices = {
  schemas: [...campaignsServices.schemas, automationsSchema, importsSchema, intakeSchema],
  async boot(stage, targets) {
    const campaigns = await campaignsServices.boot(stage, targets)
    const imports = await stage.boot('imports', startImports, loadImports, { ...targets, IMPORT_KEYS: importKeys })
    const automations = await stage.boot('automations', startAutomations, loadAutomations, { ...targets, ...campaigns })
    const intake = await stage.boot('webhook-intake', startIntake, loadIntake, targets)
    return {
      ...campaigns,
      IMPORTS_TARGET: `127.0.0.1:${imports.rpcPort}`,
      AUTOMATIONS_TARGET: `127.0.0.1:${automations.rpcPort}`,
      WEBHOOK_INTAKE_TARGET: `127.0.0.1:${intake.rpcPort}`,
    }
  },
}
