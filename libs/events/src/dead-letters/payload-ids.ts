import { createRegistry, fromBinary, toJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf'
import { file_lettergate_events_v1_events } from '@lettergate/contracts/events/v1/events'
import { ignoring } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'

const registry = createRegistry(file_lettergate_events_v1_events)
const idsMax = 20

/** thing_happened → lettergate.events.v1.ThingHappened */
const typeNameOf = (event: string): string =>
  `lettergate.events.v1.${event.replaceAll(/(?:^|_)([a-z])/g, (_, initial: string) => initial.toUpperCase())}`

/**
 * The ids in the payload of an event, by field name, at most 20 for each field. A value is an id if it is a UUID and the name of
 * its field ends in `id` or `ids`. Empty for an event that this release does not know.
 */
export function payloadIds(event: string, payload: Uint8Array): JsonObject {
  const schema = registry.getMessage(typeNameOf(event))
  if (!schema) return {}
  try {
    const found = new Map<string, string[]>()
    collect(toJson(schema, fromBinary(schema, payload), { useProtoFieldName: true, registry }), found)
    return Object.fromEntries([...found].map(([name, ids]) => [name, ids.length === 1 ? ids[0]! : ids]))
  } catch (error) {
    ignoring(error, 'an unreadable payload has no ids; that is why its event is a dead letter')
    return {}
  }
}

function collect(value: JsonValue, found: Map<string, string[]>): void {
  if (Array.isArray(value)) return value.forEach((item) => collect(item, found))
  if (typeof value !== 'object' || value === null) return
  for (const [name, field] of Object.entries(value)) {
    const ids = (Array.isArray(field) ? field : [field]).filter(
      (one): one is string => typeof one === 'string' && isUuid(one),
    )
    if (/(^|_)ids?$/.test(name) && ids.length > 0)
      found.set(name, [...(found.get(name) ?? []), ...ids].slice(0, idsMax))
    else collect(field, found)
  }
}
