import type {
  DescribeSigningKeysRequest,
  DescribeSigningKeysResponseSchema,
} from '@lettergate/contracts/webhooks/v1/webhooks'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'

const namesMax = 100

/** Says which of these signing keys this process has, by name. No value leaves the process. */
export async function describeSigningKeys(
  { config }: Ctx,
  { envKeys }: DescribeSigningKeysRequest,
): Promise<Reply<typeof DescribeSigningKeysResponseSchema>> {
  if (envKeys.length > namesMax)
    throw new Fault('invalid_argument', 'env_keys', `env_keys: ask for at most ${namesMax} at a time.`)
  return { known: envKeys.filter((name) => config.signingKey(name) !== undefined) }
}
