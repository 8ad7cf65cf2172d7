import { loadConfig as loadAutomations } from '@lettergate/automations/config'
import { schema as automationsSchema } from '@lettergate/automations/migrations'
import { start as startAutomations } from '@lettergate/automations/service'
import { loadConfig as loadImports } from '@lettergate/imports/config'
import { schema as importsSchema } from '@lettergate/imports/migrations'
import { start as startImports } from '@lettergate/imports/service'
import { loadConfig as loadIntake } from '@lettergate/webhook-intake/config'
import { schema as intakeSchema } from '@lettergate/webhook-intake/migrations'
import { start as startIntake } from '@lettergate/webhook-intake/service'
import { campaignsBeside } from './campaigns-beside.ts'
import type { Beside } from '@lettergate/gateway/test/gateway-stage'

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
