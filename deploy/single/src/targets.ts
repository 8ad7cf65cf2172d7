import { loadConfig as automationsConfig } from '@lettergate/automations/config'
import { start as startAutomations } from '@lettergate/automations/service'
import { loadConfig as campaignsConfig } from '@lettergate/campaigns-delivery/config'
import { start as startCampaigns } from '@lettergate/campaigns-delivery/service'
import { loadConfig as contactsConfig } from '@lettergate/contacts-consent/config'
import { start as startContacts } from '@lettergate/contacts-consent/service'
import { loadConfig as gatewayConfig } from '@lettergate/gateway/config'
import { start as startGateway } from '@lettergate/gateway/service'
import { loadConfig as importsConfig } from '@lettergate/imports/config'
import { start as startImports } from '@lettergate/imports/service'
import { loadConfig as sendingConfig } from '@lettergate/sending-infra/config'
import { start as startSending } from '@lettergate/sending-infra/service'
import { program, type Program, type RunConfig } from '@lettergate/service/run'
import type { Service } from '@lettergate/service'
import { loadConfig as webhooksConfig } from '@lettergate/webhook-intake/config'
import { start as startWebhooks } from '@lettergate/webhook-intake/service'

type Environment = Readonly<Record<string, string | undefined>>

/** A service in one of its roles, which a process can run. */
export interface RunTarget {
  readonly name: string
  readonly service: string
  /** Its variables unless the environment sets them. */
  readonly defaults: Readonly<Record<string, string>>
  /** The variable with which the other services find its gRPC port; absent for one that answers no calls. */
  readonly addressVariable?: string
  program(environment: Environment): Program
}

interface Runnable<C extends RunConfig> {
  start: (service: Service, config: C) => Promise<unknown>
  loadConfig: (environment: NodeJS.ProcessEnv) => C
}

/** `ports` are those of gRPC and of health; gRPC port 0 for a target that answers no calls. */
const target = <C extends RunConfig>(
  [service, role]: readonly [service: string, role: '' | 'api' | 'worker'],
  { start, loadConfig }: Runnable<C>,
  [rpcPort, healthPort]: readonly [number, number],
  more: { addressVariable?: string; httpPort?: number } = {},
): RunTarget => ({
  name: role === '' ? service : `${service}-${role}`,
  service,
  defaults: {
    ROLE: role,
    RPC_PORT: String(rpcPort),
    HEALTH_PORT: String(healthPort),
    ...(more.httpPort === undefined ? {} : { HTTP_PORT: String(more.httpPort) }),
  },
  ...(more.addressVariable === undefined ? {} : { addressVariable: more.addressVariable }),
  program: (environment) => program(service, start, () => loadConfig({ ...environment })),
})

const campaigns = { start: startCampaigns, loadConfig: campaignsConfig }
const imports = { start: startImports, loadConfig: importsConfig }
const automations = { start: startAutomations, loadConfig: automationsConfig }

/** Every target, in the order of calls: each stops before those that it calls. */
export const targets: readonly RunTarget[] = [
  target(['contacts-consent', ''], { start: startContacts, loadConfig: contactsConfig }, [7001, 7101], {
    addressVariable: 'CONTACTS_CONSENT_TARGET',
  }),
  target(['gateway', ''], { start: startGateway, loadConfig: gatewayConfig }, [7002, 7102], {
    addressVariable: 'IDENTITY_TARGET',
    httpPort: 8080,
  }),
  target(['sending-infra', ''], { start: startSending, loadConfig: sendingConfig }, [7003, 7103], {
    addressVariable: 'SENDING_INFRA_TARGET',
  }),
  target(['campaigns-delivery', 'api'], campaigns, [7004, 7104], { addressVariable: 'CAMPAIGNS_DELIVERY_TARGET' }),
  target(['campaigns-delivery', 'worker'], campaigns, [7005, 7105], { addressVariable: 'CAMPAIGNS_WORKER_TARGET' }),
  target(['webhook-intake', ''], { start: startWebhooks, loadConfig: webhooksConfig }, [7006, 7106], {
    addressVariable: 'WEBHOOK_INTAKE_TARGET',
    httpPort: 8081,
  }),
  target(['imports', 'api'], imports, [7007, 7107], { addressVariable: 'IMPORTS_TARGET' }),
  target(['imports', 'worker'], imports, [0, 7108]),
  target(['automations', 'api'], automations, [7009, 7109], { addressVariable: 'AUTOMATIONS_TARGET' }),
  target(['automations', 'worker'], automations, [0, 7110]),
]
