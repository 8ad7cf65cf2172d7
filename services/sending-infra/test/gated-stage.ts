import { Identity } from '@lettergate/contracts/identity/v1/identity'
import { loadConfig as loadGatewayConfig } from '@lettergate/gateway/config'
import { schema as identitySchema } from '@lettergate/gateway/migrations'
import { start as startGateway } from '@lettergate/gateway/service'
import type { Stage } from '@lettergate/stage'
import { sendingStage, type SendingStage } from './sending-stage.ts'

const unreachable = '127.0.0.1:9'
export const confirmation = 'ACTIVATE PRODUCTION SENDING'
export const unknown = '01890000-0000-7000-8000-000000000000'

export interface GatedStage extends SendingStage {
  /** Opens or closes production sending. */
  setGate(enabled: boolean): Promise<unknown>
  activate: (
    ctx: Owner,
    senderId: string,
    text?: string,
  ) => ReturnType<SendingStage['sending']['activateSenderIdentity']>
}

export type Owner = ReturnType<SendingStage['owner']>

/** Starts the gateway, which has the gates, with the ceilings of its environment. Answers its gRPC port. */
export async function bootGateway(stage: Stage, env: Record<string, string>): Promise<number> {
  const gateway = await stage.boot('gateway', startGateway, loadGatewayConfig, {
    BASE_URL: 'https://lettergate.test',
    WALLET_BASE_URL: `http://${unreachable}`,
    WALLET_CLIENT_ID: 'lettergate',
    WALLET_CLIENT_SECRET: 'test-wallet-secret',
    CONTACTS_CONSENT_TARGET: unreachable,
    SENDING_INFRA_TARGET: unreachable,
    CAMPAIGNS_DELIVERY_TARGET: unreachable,
    IMPORTS_TARGET: unreachable,
    AUTOMATIONS_TARGET: unreachable,
    WEBHOOK_INTAKE_TARGET: unreachable,
    ...env,
  })
  return gateway.rpcPort
}

/** sending-infra with the real gates and open production sending. */
export async function gatedStage(): Promise<GatedStage> {
  let rpcPort = 0
  const rig = await sendingStage({
    schemas: [identitySchema],
    identityTarget: async (stage) => {
      rpcPort = await bootGateway(stage, { ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' })
      return `127.0.0.1:${rpcPort}`
    },
  })
  const identity = await rig.stage.client(Identity, rpcPort)
  const setGate = (enabled: boolean) =>
    identity.setPlatformGate(rig.stage.caller({ platformRole: 'owner' }), {
      name: 'production_sending_enabled',
      enabled,
    })
  await setGate(true)
  const activate = (ctx: Owner, senderId: string, text = confirmation) =>
    rig.sending.activateSenderIdentity(ctx, { senderId, confirmation: text })
  return { ...rig, setGate, activate }
}
