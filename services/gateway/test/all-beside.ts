import { loadConfig as loadAutomations } from '../../automations/src/config.ts'
import { schema as automationsSchema } from '../../automations/src/db/migrations.ts'
import { start as startAutomations } from '../../automations/src/service.ts'
import { loadConfig as loadImports } from '../../imports/src/config.ts'
import { schema as importsSchema } from '../../imports/src/db/migrations.ts'
import { start as startImports } from '../../imports/src/service.ts'
import { loadConfig as loadIntake } from '../../webhook-intake/src/config.ts'
import { schema as intakeSchema } from '../../webhook-intake/src/db/migrations.ts'
import { start as startIntake } from '../../webhook-intake/src/service.ts'
import { campaignsBeside } from './campaigns-beside.ts'
import type { Beside } from './gateway-stage.ts'

/** Every other service that answers rpcs, each as in production. */
export const allBeside: Beside = {
  schemas: [...campaignsBeside.schemas, automationsSchema, importsSchema, intakeSchema],
  async boot(stage, targets) {
    const campaigns = await campaignsBeside.boot(stage, targets)
    const imports = await stage.boot('imports', startImports, loadImports)
    const automations = await stage.boot('automations', startAutomations, loadAutomations)
    const intake = await stage.boot('webhook-intake', startIntake, loadIntake, targets)
    return {
      ...campaigns,
      IMPORTS_TARGET: `127.0.0.1:${imports.rpcPort}`,
      AUTOMATIONS_TARGET: `127.0.0.1:${automations.rpcPort}`,
      WEBHOOK_INTAKE_TARGET: `127.0.0.1:${intake.rpcPort}`,
    }
  },
}
