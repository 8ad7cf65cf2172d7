// Made by `make proto` from services/gateway/openapi; a test checks that it is current. Do not edit.
import type { Tool } from '../src/tool.ts'

/** Every operation of the public API as a tool. */
export const tools: readonly Tool[] = [
  {
    "name": "getHealth",
    "title": "Check that the process is alive",
    "description": "Check that the process is alive. Answers from memory, without calls to other parts.\n\nWho may call it: everybody, without a credential. Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "public",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "getReadiness",
    "title": "Check that the process can serve requests",
    "description": "Check that the process can serve requests. Checks the database and every part that requests need. 503 while one of them does not answer.\n\nWho may call it: everybody, without a credential. Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "public",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "getMe",
    "title": "Get the caller",
    "description": "Get the caller. The caller as stored in this service. `csrf_token` is set only for browser sessions.\n\nWho may call it: everybody with a valid credential. Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "authenticated",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "listWorkspaces",
    "title": "List my workspaces",
    "description": "List my workspaces. Every workspace in which the caller is a member, archived ones included and flagged.\n\nWho may call it: everybody with a valid credential. Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "authenticated",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "getWorkspace",
    "title": "Get one workspace",
    "description": "Get one workspace. Includes the capabilities of the caller in it. In an archived workspace no role has `send_test`, `schedule_campaign` and `pause_delivery`.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "activateWorkspaceSending",
    "title": "Turn on production sending for the workspace",
    "description": "Turn on production sending for the workspace. Needs a sender on a ready domain and every global gate open, else 422. Sends nothing itself. Turn it off at the operator console.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin), who must also be an owner of the workspace or of the platform. Safety class `production path`: is part of sending to real recipients, and is refused unless every gate is open.",
    "method": "POST",
    "safetyClass": "production path",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/ActivateSendingRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "ActivateSendingRequest": {
          "type": "object",
          "required": [
            "confirmation",
            "quota_reviewed"
          ],
          "properties": {
            "confirmation": {
              "type": "string",
              "const": "ACTIVATE PRODUCTION SENDING"
            },
            "quota_reviewed": {
              "type": "boolean",
              "const": true,
              "description": "An operator has reviewed the provider's quota."
            }
          }
        }
      }
    }
  },
  {
    "name": "upsertContact",
    "title": "Create or change a contact",
    "description": "Create or change a contact. Idempotent by normalized email. Given fields overwrite, null clears, absent fields stay. `tags` is the whole list, and new names in it are registered. `custom_fields` merges by key, and its keys must be defined. `source` with `source_identifier` names one contact of the workspace: the same pair with another address is 409. Every call appends a provenance record. Fires no automation trigger and gives no consent. With `create_only` a known address is 409 `contact_exists` and nothing changes.\n\nWho may call it: callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "upsert_contacts",
    "inputSchema": {
      "type": "object",
      "properties": {
        "create_only": {
          "type": "boolean",
          "description": "Whether to refuse an address that the workspace knows already. False unless set."
        },
        "body": {
          "$ref": "#/$defs/ContactUpsertRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "ContactUpsertRequest": {
          "type": "object",
          "required": [
            "email",
            "source"
          ],
          "properties": {
            "email": {
              "$ref": "#/$defs/EmailAddress"
            },
            "source": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            },
            "first_name": {
              "type": [
                "string",
                "null"
              ],
              "maxLength": 160
            },
            "last_name": {
              "type": [
                "string",
                "null"
              ],
              "maxLength": 160
            },
            "company": {
              "type": [
                "string",
                "null"
              ],
              "maxLength": 200
            },
            "country_code": {
              "type": [
                "string",
                "null"
              ],
              "pattern": "^[A-Za-z]{2}$",
              "description": "ISO 3166-1 alpha-2. Must be a country code of two letters, such as GB."
            },
            "locale": {
              "$ref": "#/$defs/OptionalText"
            },
            "phone": {
              "$ref": "#/$defs/OptionalText"
            },
            "timezone": {
              "$ref": "#/$defs/OptionalText"
            },
            "custom_fields": {
              "type": "object",
              "maxProperties": 500,
              "description": "Merged by key; null clears a key. All custom fields of a contact together are at most 65,536 characters of JSON."
            },
            "is_legacy": {
              "type": "boolean",
              "description": "Removing the legacy mark of a contact is allowed, and audited."
            },
            "legacy_consent_evidence": {
              "type": "object",
              "description": "`captured_at`, which must be in the past, `source` and `wording` together document a legacy consent. At most 16,384 characters of JSON."
            },
            "source_identifier": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            },
            "source_metadata": {
              "type": "object",
              "description": "At most 16,384 characters of JSON."
            },
            "source_workspace": {
              "type": "string",
              "maxLength": 500
            },
            "tags": {
              "type": "array",
              "maxItems": 50,
              "items": {
                "$ref": "#/$defs/Tag"
              },
              "description": "The whole list."
            }
          }
        },
        "EmailAddress": {
          "type": "string",
          "minLength": 1,
          "maxLength": 500,
          "format": "email"
        },
        "OptionalText": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 500
        },
        "Tag": {
          "type": "string",
          "minLength": 1,
          "maxLength": 100
        }
      }
    }
  },
  {
    "name": "lookupContact",
    "title": "Find a contact by address",
    "description": "Find a contact by address. Compares normalized addresses: trimmed, lower case, domain in punycode, without provider-specific rules.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "email": {
          "type": "string",
          "format": "email",
          "description": "The address to look for, percent-encoded: a bare `+` is read as a blank."
        }
      },
      "required": [
        "email"
      ]
    }
  },
  {
    "name": "defineContactField",
    "title": "Define a custom field",
    "description": "Define a custom field. The same key and type again appends a new version. Another type is 409. Choice types need `options`. A workspace has at most 500 custom fields.\n\nWho may call it: callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "upsert_contacts",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/FieldDefinitionRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "FieldDefinitionRequest": {
          "type": "object",
          "required": [
            "field_key",
            "label",
            "field_type"
          ],
          "properties": {
            "field_key": {
              "type": "string",
              "pattern": "^[a-z][a-z0-9_]{0,99}$",
              "description": "Must be lowercase letters, digits and underscores, beginning with a letter, at most 100 characters, such as shoe_size."
            },
            "label": {
              "type": "string",
              "minLength": 1,
              "maxLength": 160
            },
            "field_type": {
              "$ref": "#/$defs/FieldType"
            },
            "options": {
              "type": "array",
              "maxItems": 200,
              "items": {
                "type": "string",
                "minLength": 1,
                "maxLength": 500
              }
            }
          }
        },
        "FieldType": {
          "type": "string",
          "enum": [
            "text",
            "long_text",
            "integer",
            "decimal",
            "boolean",
            "date",
            "datetime",
            "single_choice",
            "multiple_choice",
            "url"
          ]
        }
      }
    }
  },
  {
    "name": "listAudiences",
    "title": "List audiences",
    "description": "List audiences. The full list; archived audiences are included and flagged.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "createAudience",
    "title": "Create an audience",
    "description": "Create an audience. A taken slug is 409, also when its audience is archived. A workspace has at most 1,000 audiences, archived ones included: one more is 422. `minimum_interval_seconds` counts from the last hand-off to a contact under this audience.\n\nWho may call it: callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "upsert_contacts",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/AudienceCreateRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "AudienceCreateRequest": {
          "type": "object",
          "required": [
            "name",
            "slug",
            "purpose"
          ],
          "properties": {
            "name": {
              "type": "string",
              "minLength": 1,
              "maxLength": 160
            },
            "slug": {
              "$ref": "#/$defs/Slug"
            },
            "purpose": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            },
            "minimum_interval_seconds": {
              "type": "integer",
              "minimum": 0,
              "maximum": 2147483647
            }
          }
        },
        "Slug": {
          "type": "string",
          "minLength": 1,
          "maxLength": 500,
          "pattern": "^[a-z0-9]+(?:-[a-z0-9]+)*$",
          "description": "Must be lowercase letters and digits, in words joined by single hyphens, such as spring-sale."
        }
      }
    }
  },
  {
    "name": "getAudience",
    "title": "Get one audience",
    "description": "Get one audience. Includes the number of its active members.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "audience_id": {
          "type": "string"
        }
      },
      "required": [
        "audience_id"
      ]
    }
  },
  {
    "name": "archiveAudience",
    "title": "Archive an audience",
    "description": "Archive an audience. No contact can be subscribed, and nothing is sent to it any more. Safe to repeat. Its slug stays taken.\n\nWho may call it: callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "upsert_contacts",
    "inputSchema": {
      "type": "object",
      "properties": {
        "audience_id": {
          "type": "string"
        }
      },
      "required": [
        "audience_id"
      ]
    }
  },
  {
    "name": "subscribeContact",
    "title": "Record consent and subscribe a contact",
    "description": "Record consent and subscribe a contact. An unresolved suppression of the platform, the workspace or this audience is 422; the page names its scope and reason. No parameter overrides it: resolve the suppression, then subscribe again. Fires the `audience_subscribed` trigger, which enrols the contact in published automations with this trigger.\n\nWho may call it: callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "upsert_contacts",
    "inputSchema": {
      "type": "object",
      "properties": {
        "audience_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/SubscribeRequest"
        }
      },
      "required": [
        "audience_id",
        "body"
      ],
      "$defs": {
        "SubscribeRequest": {
          "type": "object",
          "required": [
            "contact_id",
            "source",
            "wording_version"
          ],
          "properties": {
            "contact_id": {
              "$ref": "#/$defs/Uuid"
            },
            "source": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            },
            "wording_version": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            },
            "evidence": {
              "type": "object",
              "description": "At most 16,384 characters of JSON."
            },
            "form_identifier": {
              "type": "string",
              "maxLength": 500
            },
            "source_application": {
              "type": "string",
              "maxLength": 500
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        }
      }
    }
  },
  {
    "name": "unsubscribeContact",
    "title": "Withdraw consent for an audience",
    "description": "Withdraw consent for an audience. Appends a withdrawal, ends the membership and leaves one unresolved audience suppression. Applies to every message not yet handed off. Safe to repeat.\n\nWho may call it: callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "upsert_contacts",
    "inputSchema": {
      "type": "object",
      "properties": {
        "audience_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/UnsubscribeRequest"
        }
      },
      "required": [
        "audience_id",
        "body"
      ],
      "$defs": {
        "UnsubscribeRequest": {
          "type": "object",
          "required": [
            "contact_id"
          ],
          "properties": {
            "contact_id": {
              "$ref": "#/$defs/Uuid"
            },
            "source": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        }
      }
    }
  },
  {
    "name": "suppressContact",
    "title": "Suppress a contact",
    "description": "Suppress a contact. `audience_id` is required with scope `audience` and refused with other scopes. A platform suppression applies to the address in every organization. Memberships do not change.\n\nWho may call it: callers with the capability `resolve_suppressions` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "resolve_suppressions",
    "inputSchema": {
      "type": "object",
      "properties": {
        "contact_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/SuppressRequest"
        }
      },
      "required": [
        "contact_id",
        "body"
      ],
      "$defs": {
        "SuppressRequest": {
          "type": "object",
          "required": [
            "scope",
            "reason"
          ],
          "properties": {
            "scope": {
              "type": "string",
              "enum": [
                "audience",
                "workspace",
                "platform"
              ]
            },
            "reason": {
              "$ref": "#/$defs/SuppressionReason"
            },
            "audience_id": {
              "$ref": "#/$defs/Uuid"
            },
            "evidence": {
              "type": "object",
              "description": "At most 16,384 characters of JSON."
            },
            "source": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            }
          }
        },
        "SuppressionReason": {
          "type": "string",
          "enum": [
            "hard_bounce",
            "complaint",
            "unsubscribe",
            "manual",
            "import",
            "legal",
            "other"
          ],
          "description": "Free text is in `evidence`."
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        }
      }
    }
  },
  {
    "name": "resolveSuppression",
    "title": "Resolve a suppression",
    "description": "Resolve a suppression. Appended to the record, never edited. Safe to repeat. A platform-scope suppression also needs a platform owner or administrator, else 403. Subscribes nobody.\n\nWho may call it: callers with the capability `resolve_suppressions` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "resolve_suppressions",
    "inputSchema": {
      "type": "object",
      "properties": {
        "suppression_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/ResolveSuppressionRequest"
        }
      },
      "required": [
        "suppression_id",
        "body"
      ],
      "$defs": {
        "ResolveSuppressionRequest": {
          "type": "object",
          "required": [
            "resolution_reason"
          ],
          "properties": {
            "resolution_reason": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            }
          }
        }
      }
    }
  },
  {
    "name": "getEligibility",
    "title": "Get the eligibility of a contact for an audience",
    "description": "Get the eligibility of a contact for an audience. The same decision that scheduling and delivery use, with every reason that applies. Read-only; contacts neither the provider nor the recipient.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "contact_id": {
          "type": "string"
        },
        "audience_id": {
          "type": "string"
        }
      },
      "required": [
        "contact_id",
        "audience_id"
      ]
    }
  },
  {
    "name": "createPreferenceToken",
    "title": "Create signed preference links",
    "description": "Create signed preference links. `audience_id` is required with scope `audience`. The links never expire.\n\nWho may call it: callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "upsert_contacts",
    "inputSchema": {
      "type": "object",
      "properties": {
        "contact_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/PreferenceTokenRequest"
        }
      },
      "required": [
        "contact_id",
        "body"
      ],
      "$defs": {
        "PreferenceTokenRequest": {
          "type": "object",
          "required": [
            "scope"
          ],
          "properties": {
            "scope": {
              "type": "string",
              "enum": [
                "audience",
                "workspace"
              ]
            },
            "audience_id": {
              "$ref": "#/$defs/Uuid"
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        }
      }
    }
  },
  {
    "name": "listSubscriptionSources",
    "title": "List subscription sources",
    "description": "List subscription sources. The full list, with the ids that grants are scoped to. Never with a credential.\n\nWho may call it: callers with the capability `manage_subscription_sources` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "manage_subscription_sources",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "createSubscriptionSource",
    "title": "Create a subscription source",
    "description": "Create a subscription source. `allowed_audience_ids` names at least one live audience of this workspace, or `allows_all_audiences` is true and the list is absent, null or empty; anything else is 422. A taken slug is 409. A workspace has at most 200 sources: one more is 422. Creates no credential: the source uses a wallet grant scoped to its id.\n\nWho may call it: callers with the capability `manage_subscription_sources` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "manage_subscription_sources",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/SourceCreateRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "SourceCreateRequest": {
          "type": "object",
          "required": [
            "slug",
            "display_name",
            "allowed_origins"
          ],
          "properties": {
            "slug": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500,
              "pattern": "^[a-z0-9]+(?:-[a-z0-9]+)*$",
              "description": "Must be lowercase letters and digits, in words joined by single hyphens, such as spring-sale."
            },
            "display_name": {
              "type": "string",
              "minLength": 1,
              "maxLength": 160
            },
            "allowed_origins": {
              "$ref": "#/$defs/AllowedOrigins"
            },
            "allowed_audience_ids": {
              "type": [
                "array",
                "null"
              ],
              "maxItems": 500,
              "items": {
                "type": "string",
                "format": "uuid",
                "maxLength": 36
              }
            },
            "allows_all_audiences": {
              "type": "boolean"
            }
          }
        },
        "AllowedOrigins": {
          "type": "array",
          "minItems": 1,
          "maxItems": 100,
          "items": {
            "type": "string",
            "format": "origin",
            "maxLength": 500
          },
          "description": "Scheme, host and port, without path, query or trailing slash. The default port equals none."
        }
      }
    }
  },
  {
    "name": "replaceSubscriptionSourceOrigins",
    "title": "Replace the allowed origins",
    "description": "Replace the allowed origins. The complete list, not a delta. Idempotent. The slug cannot change.\n\nWho may call it: callers with the capability `manage_subscription_sources` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "PATCH",
    "safetyClass": "database-only",
    "capability": "manage_subscription_sources",
    "inputSchema": {
      "type": "object",
      "properties": {
        "source_slug": {
          "type": "string",
          "description": "The slug of the source in its workspace."
        },
        "body": {
          "$ref": "#/$defs/SourceOriginsRequest"
        }
      },
      "required": [
        "source_slug",
        "body"
      ],
      "$defs": {
        "SourceOriginsRequest": {
          "type": "object",
          "required": [
            "allowed_origins"
          ],
          "properties": {
            "allowed_origins": {
              "$ref": "#/$defs/AllowedOrigins"
            }
          }
        },
        "AllowedOrigins": {
          "type": "array",
          "minItems": 1,
          "maxItems": 100,
          "items": {
            "type": "string",
            "format": "origin",
            "maxLength": 500
          },
          "description": "Scheme, host and port, without path, query or trailing slash. The default port equals none."
        }
      }
    }
  },
  {
    "name": "createEmailTemplate",
    "title": "Create a template",
    "description": "Create a template. Slugs are unique in a workspace, archived or not; a taken one is 409.\n\nWho may call it: callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "edit_content",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/EmailTemplateRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "EmailTemplateRequest": {
          "type": "object",
          "required": [
            "name",
            "slug"
          ],
          "properties": {
            "name": {
              "type": "string",
              "minLength": 1,
              "maxLength": 160
            },
            "slug": {
              "$ref": "#/$defs/Slug"
            },
            "description": {
              "type": "string",
              "maxLength": 500
            }
          }
        },
        "Slug": {
          "type": "string",
          "minLength": 1,
          "maxLength": 500,
          "pattern": "^[a-z0-9]+(?:-[a-z0-9]+)*$",
          "description": "Must be lowercase letters and digits, in words joined by single hyphens, such as spring-sale."
        }
      }
    }
  },
  {
    "name": "archiveEmailTemplate",
    "title": "Archive or restore a template",
    "description": "Archive or restore a template. An empty body archives; `archived: false` restores. Content versions do not change and new ones may be added. A draft with content of an archived template cannot be scheduled; runs that are already scheduled continue.\n\nWho may call it: callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "edit_content",
    "inputSchema": {
      "type": "object",
      "properties": {
        "template_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/EmailTemplateArchiveRequest"
        }
      },
      "required": [
        "template_id"
      ],
      "$defs": {
        "EmailTemplateArchiveRequest": {
          "type": "object",
          "properties": {
            "archived": {
              "type": "boolean",
              "description": "True if absent."
            }
          }
        }
      }
    }
  },
  {
    "name": "createContentVersion",
    "title": "Append a content version",
    "description": "Append a content version. Immutable and numbered. The HTML is sanitised, and only the sanitised copy is ever sent. `validation.stripped` lists what was removed; `valid` stays true in that case. Tokens look like `{{ first_name }}`; `{{ unsubscribe_url }}` is the unsubscribe link. 409 if `expected_version` is not the latest version. Sends nothing. Accepts up to 2 MiB.\n\nWho may call it: callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "edit_content",
    "inputSchema": {
      "type": "object",
      "properties": {
        "template_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/ContentVersionRequest"
        }
      },
      "required": [
        "template_id",
        "body"
      ],
      "$defs": {
        "ContentVersionRequest": {
          "type": "object",
          "required": [
            "subject",
            "html"
          ],
          "properties": {
            "subject": {
              "type": "string",
              "minLength": 1,
              "maxLength": 300
            },
            "html": {
              "type": "string",
              "minLength": 1
            },
            "preheader": {
              "type": "string",
              "maxLength": 500
            },
            "plain_text": {
              "type": "string",
              "description": "Generated from the HTML if absent."
            },
            "personalization_defaults": {
              "type": "object",
              "additionalProperties": {
                "type": "string",
                "maxLength": 500
              },
              "description": "By token name; used for a contact without a value."
            },
            "expected_version": {
              "type": "integer",
              "minimum": 0,
              "maximum": 2147483647,
              "description": "The version that the author began with, 0 for the first one. 409 if another one is the latest. Without it nothing is compared."
            }
          }
        }
      }
    }
  },
  {
    "name": "createCampaignDraft",
    "title": "Create a campaign draft",
    "description": "Create a campaign draft. Creates the first immutable draft version. Schedules and sends nothing.\n\nWho may call it: callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "edit_content",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/CampaignDraftRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "CampaignDraftRequest": {
          "type": "object",
          "required": [
            "name",
            "audience_id",
            "sender_identity_id",
            "content_version_id"
          ],
          "properties": {
            "name": {
              "type": "string",
              "minLength": 1,
              "maxLength": 160
            },
            "audience_id": {
              "$ref": "#/$defs/Uuid"
            },
            "sender_identity_id": {
              "$ref": "#/$defs/Uuid"
            },
            "content_version_id": {
              "$ref": "#/$defs/Uuid"
            },
            "notes": {
              "type": "string",
              "maxLength": 500
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        }
      }
    }
  },
  {
    "name": "createCampaignDraftVersion",
    "title": "Append a draft version",
    "description": "Append a draft version. The new version is immutable and becomes the current one. Earlier versions stay. Only while the campaign is a draft.\n\nWho may call it: callers with the capability `edit_content` (roles owner, brand_admin, editor); a service key also reaches it. Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "edit_content",
    "inputSchema": {
      "type": "object",
      "properties": {
        "campaign_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/CampaignDraftRequest"
        }
      },
      "required": [
        "campaign_id",
        "body"
      ],
      "$defs": {
        "CampaignDraftRequest": {
          "type": "object",
          "required": [
            "name",
            "audience_id",
            "sender_identity_id",
            "content_version_id"
          ],
          "properties": {
            "name": {
              "type": "string",
              "minLength": 1,
              "maxLength": 160
            },
            "audience_id": {
              "$ref": "#/$defs/Uuid"
            },
            "sender_identity_id": {
              "$ref": "#/$defs/Uuid"
            },
            "content_version_id": {
              "$ref": "#/$defs/Uuid"
            },
            "notes": {
              "type": "string",
              "maxLength": 500
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        }
      }
    }
  },
  {
    "name": "scheduleCampaign",
    "title": "Schedule a campaign",
    "description": "Schedule a campaign. Freezes the audience and the content into an immutable run. Fails closed with 422 unless every global, workspace, provider, domain, sender and content condition is met. At delivery the eligibility of every recipient is checked again. `scheduled_for` has a timezone and is in the future. A repeated key returns the original run. If a very large run is not ready within two minutes, the answer is 503 and the service keeps building the run: the same key returns it. 409 if `expected_version` is not the current version of the draft.\n\nWho may call it: callers with the capability `schedule_campaign` (roles owner, brand_admin, editor). Safety class `production path`: is part of sending to real recipients, and is refused unless every gate is open.",
    "method": "POST",
    "safetyClass": "production path",
    "capability": "schedule_campaign",
    "takesKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "campaign_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/ScheduleRequest"
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "A new key for each intended action. Send the same key when you repeat that action."
        }
      },
      "required": [
        "campaign_id",
        "body",
        "idempotency_key"
      ],
      "$defs": {
        "ScheduleRequest": {
          "type": "object",
          "required": [
            "scheduled_for"
          ],
          "properties": {
            "scheduled_for": {
              "type": "string",
              "format": "date-time",
              "description": "With a timezone and in the future."
            },
            "expected_version": {
              "type": "integer",
              "minimum": 1,
              "maximum": 2147483647,
              "description": "The draft version that the user saw. 409 if another one is current. Without it nothing is compared."
            }
          }
        }
      }
    }
  },
  {
    "name": "getCampaignRun",
    "title": "Get one run",
    "description": "Get one run. Includes its current counts.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "run_id": {
          "type": "string"
        }
      },
      "required": [
        "run_id"
      ]
    }
  },
  {
    "name": "getCampaignRunReport",
    "title": "Get the report of a run",
    "description": "Get the report of a run. Each accepted recipient is in exactly one of `delivered`, `hard_bounced`, `soft_failed_only` and `no_terminal_event`, which sum to `sent`. A recipient with a delivery and a later hard bounce counts as `hard_bounced`. `events` are raw provider events and may exceed `sent`.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "run_id": {
          "type": "string"
        }
      },
      "required": [
        "run_id"
      ]
    }
  },
  {
    "name": "unscheduleCampaignRun",
    "title": "Unschedule a run before it starts",
    "description": "Unschedule a run before it starts. The campaign is a draft again. After the run has left `scheduled` this is 422 and changes nothing.\n\nWho may call it: callers with the capability `schedule_campaign` (roles owner, brand_admin, editor). Safety class `production path`: is part of sending to real recipients, and is refused unless every gate is open.",
    "method": "POST",
    "safetyClass": "production path",
    "capability": "schedule_campaign",
    "inputSchema": {
      "type": "object",
      "properties": {
        "run_id": {
          "type": "string"
        }
      },
      "required": [
        "run_id"
      ]
    }
  },
  {
    "name": "controlCampaignRun",
    "title": "Pause, resume or cancel a run",
    "description": "Pause, resume or cancel a run. A control that does not fit the state of the run is 422 and changes nothing. After `resume`, a run that was paused before its time is scheduled again, and an overdue one starts at once, behind the same gates. `cancel` is final.\n\nWho may call it: callers with the capability `pause_delivery` (roles owner, brand_admin). Safety class `production path`: is part of sending to real recipients, and is refused unless every gate is open.",
    "method": "POST",
    "safetyClass": "production path",
    "capability": "pause_delivery",
    "inputSchema": {
      "type": "object",
      "properties": {
        "run_id": {
          "type": "string"
        },
        "action": {
          "type": "string",
          "enum": [
            "pause",
            "resume",
            "cancel"
          ],
          "description": "Any other value is 404."
        }
      },
      "required": [
        "run_id",
        "action"
      ]
    }
  },
  {
    "name": "replayProviderEvent",
    "title": "Replay a stored provider event",
    "description": "Replay a stored provider event. Outcomes are a function of the set of events, so a replay counts nothing twice. Sends nothing.\n\nWho may call it: callers with the capability `pause_delivery` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "pause_delivery",
    "inputSchema": {
      "type": "object",
      "properties": {
        "event_id": {
          "type": "string"
        }
      },
      "required": [
        "event_id"
      ]
    }
  },
  {
    "name": "getCampaignWebhook",
    "title": "Get the campaign webhook",
    "description": "Get the campaign webhook. The URL that gets the events of campaign runs. Shows whether a secret is set, never the secret.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "setCampaignWebhook",
    "title": "Set the campaign webhook",
    "description": "Set the campaign webhook. Null clears a field, an absent field stays. The URL must use https and must not resolve to a private, loopback or link-local address, now and at every delivery. Events are signed by Standard Webhooks.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "PUT",
    "safetyClass": "database-only",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/CampaignWebhookRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "CampaignWebhookRequest": {
          "type": "object",
          "properties": {
            "campaign_webhook_url": {
              "type": [
                "string",
                "null"
              ],
              "format": "uri",
              "maxLength": 500
            },
            "campaign_webhook_secret": {
              "type": [
                "string",
                "null"
              ],
              "pattern": "^whsec_[A-Za-z0-9+/]{32,88}={0,2}$",
              "description": "`whsec_` and 24 to 64 bytes in base64. Never returned. Must be whsec_ and 24 to 64 random bytes in base64."
            }
          }
        }
      }
    }
  },
  {
    "name": "createTestSend",
    "title": "Send one test email",
    "description": "Send one test email. To one typed recipient of the allowlist, behind the test-send gate, from a sender on a verified domain with an active connection, within the hourly and daily caps of the workspace; else 422. A suppressed address is also 422. A repeated key returns the original and never sends again. `state` stays `queued` while it is unknown whether the provider has the message.\n\nWho may call it: callers with the capability `send_test` (roles owner, brand_admin, editor). Safety class `test delivery`: may send one email, to a recipient of the allowlist.",
    "method": "POST",
    "safetyClass": "test delivery",
    "capability": "send_test",
    "takesKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/TestSendRequest"
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 12,
          "maxLength": 200,
          "description": "A new key for each intended action. Send the same key when you repeat that action."
        }
      },
      "required": [
        "body",
        "idempotency_key"
      ],
      "$defs": {
        "TestSendRequest": {
          "type": "object",
          "required": [
            "sender_identity_id",
            "content_version_id",
            "recipient_email",
            "confirmation"
          ],
          "properties": {
            "sender_identity_id": {
              "$ref": "#/$defs/Uuid"
            },
            "content_version_id": {
              "$ref": "#/$defs/Uuid"
            },
            "recipient_email": {
              "$ref": "#/$defs/EmailAddress"
            },
            "confirmation": {
              "type": "string",
              "const": "SEND TEST EMAIL"
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        },
        "EmailAddress": {
          "type": "string",
          "minLength": 1,
          "maxLength": 500,
          "format": "email"
        }
      }
    }
  },
  {
    "name": "createRehearsal",
    "title": "Run a controlled rehearsal",
    "description": "Run a controlled rehearsal. A test send whose signed provider events are awaited and reconciled: `verified` when every expected kind has arrived, `failed` if not by the deadline. The conditions and caps of test sends apply. A repeated key returns the original.\n\nWho may call it: callers with the capability `send_test` (roles owner, brand_admin, editor). Safety class `test delivery`: may send one email, to a recipient of the allowlist.",
    "method": "POST",
    "safetyClass": "test delivery",
    "capability": "send_test",
    "takesKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/RehearsalRequest"
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 12,
          "maxLength": 200,
          "description": "A new key for each intended action. Send the same key when you repeat that action."
        }
      },
      "required": [
        "body",
        "idempotency_key"
      ],
      "$defs": {
        "RehearsalRequest": {
          "type": "object",
          "required": [
            "sender_identity_id",
            "content_version_id",
            "recipient_email",
            "confirmation"
          ],
          "properties": {
            "sender_identity_id": {
              "$ref": "#/$defs/Uuid"
            },
            "content_version_id": {
              "$ref": "#/$defs/Uuid"
            },
            "recipient_email": {
              "$ref": "#/$defs/EmailAddress"
            },
            "confirmation": {
              "type": "string",
              "const": "RUN CONTROLLED REHEARSAL"
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        },
        "EmailAddress": {
          "type": "string",
          "minLength": 1,
          "maxLength": 500,
          "format": "email"
        }
      }
    }
  },
  {
    "name": "getRehearsal",
    "title": "Get one rehearsal",
    "description": "Get one rehearsal. Includes the event counts and the reconciliation so far.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "rehearsal_id": {
          "type": "string"
        }
      },
      "required": [
        "rehearsal_id"
      ]
    }
  },
  {
    "name": "getPreflight",
    "title": "Get the latest preflight report",
    "description": "Get the latest preflight report. `preflight` is null before the first one.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "runPreflight",
    "title": "Run the launch preflight",
    "description": "Run the launch preflight. Checks the conditions of a launch and stores the report. Sends no email and opens no gate.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/PreflightRequest"
        }
      },
      "required": [],
      "$defs": {
        "PreflightRequest": {
          "type": "object",
          "description": "Nothing is read from it."
        }
      }
    }
  },
  {
    "name": "createSyntheticRehearsal",
    "title": "Rehearse capacity with synthetic recipients",
    "description": "Rehearse capacity with synthetic recipients. Takes synthetic recipients with `.invalid` addresses through the code of a real run, lets some workers end on purpose, calls no provider, rolls its data back and stores the report. Needs the synthetic gate open, else 422. `confirmation` names the number of recipients, 1000 if none is given. A worker runs it, one at a time: read the run until `state` is `completed` or `failed`. The same `idempotency_key` returns the first run with `created` false; with another `recipient_count` it is 409.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin), who must also be somebody who owns both the workspace and the platform. Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/SyntheticRehearsalRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "SyntheticRehearsalRequest": {
          "type": "object",
          "required": [
            "idempotency_key",
            "confirmation"
          ],
          "properties": {
            "idempotency_key": {
              "type": "string",
              "minLength": 12,
              "maxLength": 200
            },
            "confirmation": {
              "type": "string",
              "pattern": "^RUN [0-9]{1,5} SYNTHETIC REHEARSAL$",
              "description": "`RUN <recipient_count> SYNTHETIC REHEARSAL` Must be RUN, the number of recipients and SYNTHETIC REHEARSAL, such as RUN 1000 SYNTHETIC REHEARSAL."
            },
            "recipient_count": {
              "type": "integer",
              "minimum": 100,
              "maximum": 10000,
              "description": "1000 if absent."
            }
          }
        }
      }
    }
  },
  {
    "name": "getSyntheticRehearsal",
    "title": "Get one synthetic rehearsal",
    "description": "Get one synthetic rehearsal. Numbers are null and `report` is empty until the run has ended. `report` has the time and the throughput of each stage, and a prediction for a real run: `total_seconds`, and `at_least_seconds` to `at_most_seconds` as its uncertainty. It is made from the last `runs` of the workspace (`basis` `recent_runs`), and is a rough estimate before the first one (`basis` `rehearsal`), and for less than about 2,000 recipients. `report_checksum` is the SHA-256 of `report` as RFC 8785 JSON.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "run_id": {
          "type": "string"
        }
      },
      "required": [
        "run_id"
      ]
    }
  },
  {
    "name": "listImports",
    "title": "List imports",
    "description": "List imports. The newest 1,000, newest first. Reports contain only counts and the checksum of the mapping.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "uploadImport",
    "title": "Upload a CSV file",
    "description": "Upload a CSV file. Stored encrypted and destroyed on completion, cancellation or expiry. An address in a file is never consent. The first row has the names of the columns, separated by commas, semicolons or tabs. The fields of the form may come before or after the file. Not idempotent: do not retry after 201.\n\nWho may call it: callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "upsert_contacts",
    "takesFile": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/ImportUploadForm"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "ImportUploadForm": {
          "type": "object",
          "required": [
            "file",
            "audience_id",
            "source_label"
          ],
          "properties": {
            "file": {
              "type": "string",
              "contentMediaType": "text/csv"
            },
            "audience_id": {
              "$ref": "#/$defs/Uuid"
            },
            "source_label": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            },
            "encoding": {
              "type": "string",
              "maxLength": 100,
              "description": "A WHATWG label, case-insensitive; UTF-8 when absent."
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        }
      }
    }
  },
  {
    "name": "getImport",
    "title": "Get one import",
    "description": "Get one import. Reports contain only counts and the checksum of the mapping.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "job_id": {
          "type": "string"
        }
      },
      "required": [
        "job_id"
      ]
    }
  },
  {
    "name": "mapImport",
    "title": "Map the columns",
    "description": "Map the columns. Can be repeated until approval. Queues a dry run that writes nothing, and invalidates an earlier report and approval.\n\nWho may call it: callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "PATCH",
    "safetyClass": "database-only",
    "capability": "upsert_contacts",
    "inputSchema": {
      "type": "object",
      "properties": {
        "job_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/ImportMappingRequest"
        }
      },
      "required": [
        "job_id",
        "body"
      ],
      "$defs": {
        "ImportMappingRequest": {
          "type": "object",
          "required": [
            "mapping",
            "consent_policy",
            "policy"
          ],
          "properties": {
            "mapping": {
              "$ref": "#/$defs/ColumnMapping"
            },
            "consent_policy": {
              "$ref": "#/$defs/ConsentPolicy"
            },
            "policy": {
              "$ref": "#/$defs/ImportPolicy"
            },
            "profile_id": {
              "type": [
                "string",
                "null"
              ],
              "format": "uuid",
              "description": "A saved or built-in profile. Its mapping and policy apply where the request says nothing else."
            },
            "save_profile_name": {
              "type": [
                "string",
                "null"
              ],
              "minLength": 1,
              "maxLength": 160,
              "description": "Saves mapping and policy under this name, or replaces the profile that has it."
            }
          }
        },
        "ColumnMapping": {
          "type": "object",
          "additionalProperties": {
            "type": "string",
            "maxLength": 500
          },
          "description": "CSV header to target: `email` (required), `first_name`, `last_name`, `company`, `country_code`, `locale`, `timezone`, `phone`, `tags`, `status`, `captured_at`, `custom.<field_key>` or `ignore`. A key such as `#3` names the third column."
        },
        "ConsentPolicy": {
          "type": "string",
          "enum": [
            "review_required",
            "explicit_opt_in",
            "status_column"
          ]
        },
        "ImportPolicy": {
          "type": "object",
          "properties": {
            "consent_basis": {
              "type": [
                "string",
                "null"
              ],
              "maxLength": 500,
              "description": "Required with `explicit_opt_in`."
            },
            "consent_source": {
              "$ref": "#/$defs/OptionalText"
            },
            "default_status": {
              "type": [
                "string",
                "null"
              ],
              "maxLength": 500,
              "description": "The status of rows without one: subscribed, unsubscribed, suppressed or pending. With `status_column` an empty cell is never subscribed."
            },
            "evidence_reference": {
              "$ref": "#/$defs/OptionalText"
            },
            "static_tags": {
              "type": [
                "array",
                "null"
              ],
              "maxItems": 50,
              "items": {
                "$ref": "#/$defs/Tag"
              }
            },
            "status_values": {
              "type": [
                "object",
                "null"
              ],
              "additionalProperties": {
                "type": "string",
                "maxLength": 500
              },
              "description": "Cell to subscribed, unsubscribed, suppressed or pending. Cells are compared without case and surrounding spaces."
            },
            "wording_version": {
              "$ref": "#/$defs/OptionalText"
            }
          }
        },
        "OptionalText": {
          "type": [
            "string",
            "null"
          ],
          "maxLength": 500
        },
        "Tag": {
          "type": "string",
          "minLength": 1,
          "maxLength": 100
        }
      }
    }
  },
  {
    "name": "approveImport",
    "title": "Approve an import",
    "description": "Approve an import. Binds the approval to the checksums of file, mapping and report, once. With `report_checksum` only the report that you read is approved, and 409 says that the import has another one. Forbidden with 422 while any test-send, sender, workspace, activation or production gate is open; the page names the open one.\n\nWho may call it: callers with the capability `approve_imports` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "approve_imports",
    "inputSchema": {
      "type": "object",
      "properties": {
        "job_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/ImportApprovalRequest"
        }
      },
      "required": [
        "job_id",
        "body"
      ],
      "$defs": {
        "ImportApprovalRequest": {
          "type": "object",
          "required": [
            "confirmation"
          ],
          "properties": {
            "confirmation": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500,
              "description": "`APPLY CSV IMPORT <job_id> TO <organization_slug>/<workspace_slug>`"
            },
            "report_checksum": {
              "type": [
                "string",
                "null"
              ],
              "maxLength": 64,
              "description": "The `report_checksum` of the report that you read. 409 if the import has another report now. Without it, the report that the import has is approved."
            }
          }
        }
      }
    }
  },
  {
    "name": "cancelImport",
    "title": "Cancel an import",
    "description": "Cancel an import. Destroys the stored payload, irreversibly. Rows that were applied before stay. Of an approved import no further row is applied.\n\nWho may call it: callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "upsert_contacts",
    "inputSchema": {
      "type": "object",
      "properties": {
        "job_id": {
          "type": "string"
        }
      },
      "required": [
        "job_id"
      ]
    }
  },
  {
    "name": "retryImport",
    "title": "Retry a failed import",
    "description": "Retry a failed import. With a valid approval the apply continues, else the dry run. 422 unless the import has failed.\n\nWho may call it: callers with the capability `upsert_contacts` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "upsert_contacts",
    "inputSchema": {
      "type": "object",
      "properties": {
        "job_id": {
          "type": "string"
        }
      },
      "required": [
        "job_id"
      ]
    }
  },
  {
    "name": "listMappingProfiles",
    "title": "List mapping profiles",
    "description": "List mapping profiles. Mappings saved for later files of the same shape, by name, and then those that every workspace has.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "listAutomations",
    "title": "List automations",
    "description": "List automations. The full list, without versions. `runtime_enabled` is the platform switch at the time of the request.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {},
      "required": []
    }
  },
  {
    "name": "createAutomation",
    "title": "Create an automation",
    "description": "Create an automation. Creates version 1 as a draft. The definition is checked: its structure, and the audiences, tags, fields, content versions and senders that it names. A problem is 422 with a line for each, a taken slug is 409. Enrols no contact and calls neither provider nor webhook. `docs/automations.md` describes definitions.\n\nWho may call it: callers with the capability `edit_automations` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "edit_automations",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/AutomationCreateRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "AutomationCreateRequest": {
          "type": "object",
          "required": [
            "name",
            "slug",
            "definition"
          ],
          "properties": {
            "name": {
              "type": "string",
              "minLength": 1,
              "maxLength": 160
            },
            "slug": {
              "$ref": "#/$defs/Slug"
            },
            "definition": {
              "$ref": "#/$defs/AutomationDefinition"
            },
            "description": {
              "type": "string",
              "maxLength": 500
            },
            "change_notes": {
              "type": "string",
              "maxLength": 500
            }
          }
        },
        "Slug": {
          "type": "string",
          "minLength": 1,
          "maxLength": 500,
          "pattern": "^[a-z0-9]+(?:-[a-z0-9]+)*$",
          "description": "Must be lowercase letters and digits, in words joined by single hyphens, such as spring-sale."
        },
        "AutomationDefinition": {
          "type": "object",
          "required": [
            "trigger",
            "start_node",
            "nodes",
            "edges"
          ],
          "properties": {
            "trigger": {
              "$ref": "#/$defs/AutomationTrigger"
            },
            "start_node": {
              "$ref": "#/$defs/NodeKey"
            },
            "nodes": {
              "type": "array",
              "minItems": 1,
              "maxItems": 100,
              "items": {
                "$ref": "#/$defs/AutomationNode"
              }
            },
            "edges": {
              "type": "array",
              "minItems": 0,
              "maxItems": 200,
              "items": {
                "$ref": "#/$defs/AutomationEdge"
              }
            }
          }
        },
        "AutomationTrigger": {
          "type": "object",
          "required": [
            "type",
            "config"
          ],
          "properties": {
            "type": {
              "type": "string",
              "enum": [
                "audience_subscribed",
                "tag_added",
                "tag_removed",
                "contact_field_changed",
                "contact_date",
                "recurring_schedule",
                "api_event",
                "manual"
              ]
            },
            "config": {
              "type": "object",
              "description": "`audience_subscribed`: `audience_id`. `tag_added`, `tag_removed`: `tag`. `contact_field_changed`: `field`. `contact_date`: `field`, `offset_days`. `recurring_schedule`: `cron`, `timezone`. `api_event`: `event_name`. `manual`: nothing. Only the first three enrol contacts."
            }
          }
        },
        "NodeKey": {
          "type": "string",
          "minLength": 1,
          "maxLength": 160
        },
        "AutomationNode": {
          "type": "object",
          "required": [
            "key",
            "type",
            "config"
          ],
          "properties": {
            "key": {
              "$ref": "#/$defs/NodeKey"
            },
            "type": {
              "type": "string",
              "enum": [
                "send_email",
                "wait_duration",
                "wait_until_date",
                "add_tag",
                "remove_tag",
                "add_audience",
                "remove_audience",
                "update_contact_field",
                "adjust_score",
                "decision",
                "end"
              ]
            },
            "config": {
              "type": "object",
              "description": "`send_email`: `content_version_id`, `sender_identity_id`. `wait_duration`: `seconds`. `wait_until_date`: `at` or `field`. `add_tag`, `remove_tag`: `tag`. `add_audience`: `audience_id`, `wording_version`, `source`. `remove_audience`: `audience_id`. `update_contact_field`: `field`, `value`. `adjust_score`: `amount`. `decision`, `end`: nothing. A field is a contact field or `custom.<field_key>`."
            }
          }
        },
        "AutomationEdge": {
          "type": "object",
          "required": [
            "from",
            "to",
            "branch"
          ],
          "properties": {
            "from": {
              "$ref": "#/$defs/NodeKey"
            },
            "to": {
              "$ref": "#/$defs/NodeKey"
            },
            "branch": {
              "type": "string",
              "minLength": 1,
              "maxLength": 160,
              "description": "`default` is used when no condition matches."
            },
            "condition": {
              "type": "object",
              "description": "`{all: […]}`, `{any: […]}`, `{not: …}`, or `{field, operator, value}` with `tag`, `audience_id` or `score: true` in place of `field`. Operators: `equals`, `not_equals`, `contains`, `exists`, `not_exists`, `greater_than`, `less_than`, `in`."
            }
          }
        }
      }
    }
  },
  {
    "name": "getAutomation",
    "title": "Get one automation",
    "description": "Get one automation. Includes its version history and the current version in full.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "automation_id": {
          "type": "string"
        }
      },
      "required": [
        "automation_id"
      ]
    }
  },
  {
    "name": "getAutomationVersion",
    "title": "Get one version",
    "description": "Get one version. Versions never change.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "automation_id": {
          "type": "string"
        },
        "version_id": {
          "type": "string"
        }
      },
      "required": [
        "automation_id",
        "version_id"
      ]
    }
  },
  {
    "name": "createAutomationVersion",
    "title": "Append a version",
    "description": "Append a version. The version is immutable. Resets the automation to draft and removes its review-ready mark. Contacts already enrolled finish the version in which they were enrolled. 409 if `expected_version` is not the current version. Enrols no contact and calls neither provider nor webhook.\n\nWho may call it: callers with the capability `edit_automations` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "edit_automations",
    "inputSchema": {
      "type": "object",
      "properties": {
        "automation_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/AutomationVersionRequest"
        }
      },
      "required": [
        "automation_id",
        "body"
      ],
      "$defs": {
        "AutomationVersionRequest": {
          "type": "object",
          "required": [
            "definition"
          ],
          "properties": {
            "definition": {
              "$ref": "#/$defs/AutomationDefinition"
            },
            "change_notes": {
              "type": "string",
              "maxLength": 500
            },
            "expected_version": {
              "type": "integer",
              "minimum": 1,
              "maximum": 500,
              "description": "The version that the author began with. 409 if another one is current. Without it nothing is compared."
            }
          }
        },
        "AutomationDefinition": {
          "type": "object",
          "required": [
            "trigger",
            "start_node",
            "nodes",
            "edges"
          ],
          "properties": {
            "trigger": {
              "$ref": "#/$defs/AutomationTrigger"
            },
            "start_node": {
              "$ref": "#/$defs/NodeKey"
            },
            "nodes": {
              "type": "array",
              "minItems": 1,
              "maxItems": 100,
              "items": {
                "$ref": "#/$defs/AutomationNode"
              }
            },
            "edges": {
              "type": "array",
              "minItems": 0,
              "maxItems": 200,
              "items": {
                "$ref": "#/$defs/AutomationEdge"
              }
            }
          }
        },
        "AutomationTrigger": {
          "type": "object",
          "required": [
            "type",
            "config"
          ],
          "properties": {
            "type": {
              "type": "string",
              "enum": [
                "audience_subscribed",
                "tag_added",
                "tag_removed",
                "contact_field_changed",
                "contact_date",
                "recurring_schedule",
                "api_event",
                "manual"
              ]
            },
            "config": {
              "type": "object",
              "description": "`audience_subscribed`: `audience_id`. `tag_added`, `tag_removed`: `tag`. `contact_field_changed`: `field`. `contact_date`: `field`, `offset_days`. `recurring_schedule`: `cron`, `timezone`. `api_event`: `event_name`. `manual`: nothing. Only the first three enrol contacts."
            }
          }
        },
        "NodeKey": {
          "type": "string",
          "minLength": 1,
          "maxLength": 160
        },
        "AutomationNode": {
          "type": "object",
          "required": [
            "key",
            "type",
            "config"
          ],
          "properties": {
            "key": {
              "$ref": "#/$defs/NodeKey"
            },
            "type": {
              "type": "string",
              "enum": [
                "send_email",
                "wait_duration",
                "wait_until_date",
                "add_tag",
                "remove_tag",
                "add_audience",
                "remove_audience",
                "update_contact_field",
                "adjust_score",
                "decision",
                "end"
              ]
            },
            "config": {
              "type": "object",
              "description": "`send_email`: `content_version_id`, `sender_identity_id`. `wait_duration`: `seconds`. `wait_until_date`: `at` or `field`. `add_tag`, `remove_tag`: `tag`. `add_audience`: `audience_id`, `wording_version`, `source`. `remove_audience`: `audience_id`. `update_contact_field`: `field`, `value`. `adjust_score`: `amount`. `decision`, `end`: nothing. A field is a contact field or `custom.<field_key>`."
            }
          }
        },
        "AutomationEdge": {
          "type": "object",
          "required": [
            "from",
            "to",
            "branch"
          ],
          "properties": {
            "from": {
              "$ref": "#/$defs/NodeKey"
            },
            "to": {
              "$ref": "#/$defs/NodeKey"
            },
            "branch": {
              "type": "string",
              "minLength": 1,
              "maxLength": 160,
              "description": "`default` is used when no condition matches."
            },
            "condition": {
              "type": "object",
              "description": "`{all: […]}`, `{any: […]}`, `{not: …}`, or `{field, operator, value}` with `tag`, `audience_id` or `score: true` in place of `field`. Operators: `equals`, `not_equals`, `contains`, `exists`, `not_exists`, `greater_than`, `less_than`, `in`."
            }
          }
        }
      }
    }
  },
  {
    "name": "markAutomationReadyForReview",
    "title": "Mark the current version ready for review",
    "description": "Mark the current version ready for review. Version id and checksum must be those of the current version, else 422. Safe to repeat. Only marks the version. Enrols no contact and calls neither provider nor webhook.\n\nWho may call it: callers with the capability `edit_automations` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "edit_automations",
    "inputSchema": {
      "type": "object",
      "properties": {
        "automation_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/ReadyForReviewRequest"
        }
      },
      "required": [
        "automation_id",
        "body"
      ],
      "$defs": {
        "ReadyForReviewRequest": {
          "type": "object",
          "required": [
            "version_id",
            "definition_checksum"
          ],
          "properties": {
            "version_id": {
              "$ref": "#/$defs/Uuid"
            },
            "definition_checksum": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        }
      }
    }
  },
  {
    "name": "archiveAutomation",
    "title": "Archive an automation",
    "description": "Archive an automation. Safe to repeat.\n\nWho may call it: callers with the capability `edit_automations` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "edit_automations",
    "inputSchema": {
      "type": "object",
      "properties": {
        "automation_id": {
          "type": "string"
        }
      },
      "required": [
        "automation_id"
      ]
    }
  },
  {
    "name": "restoreAutomation",
    "title": "Restore an archived automation",
    "description": "Restore an archived automation. The automation becomes a draft. 422 unless it is archived. Enrols no contact and calls neither provider nor webhook.\n\nWho may call it: callers with the capability `edit_automations` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "edit_automations",
    "inputSchema": {
      "type": "object",
      "properties": {
        "automation_id": {
          "type": "string"
        }
      },
      "required": [
        "automation_id"
      ]
    }
  },
  {
    "name": "listEnrollments",
    "title": "List the enrollments of an automation",
    "description": "List the enrollments of an automation. Real and synthetic enrollments, newest first, without their timelines. An automation can have more of them than one answer can hold: `next_cursor` leads to the next page. `synthetic_only` and `production_enrollment_available` are constants that describe the API.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "automation_id": {
          "type": "string"
        },
        "cursor": {
          "type": "string",
          "minLength": 1,
          "maxLength": 500,
          "description": "`next_cursor` of the previous page."
        },
        "limit": {
          "type": "integer",
          "minimum": 1,
          "maximum": 1000,
          "default": 1000,
          "description": "The maximum number of enrollments of a page."
        }
      },
      "required": [
        "automation_id"
      ]
    }
  },
  {
    "name": "getEnrollment",
    "title": "Get one enrollment",
    "description": "Get one enrollment. Includes its timeline: what happened to it, and its steps with their outcomes, the newest 1,000 of each, oldest first. The last step may not be finished.\n\nWho may call it: callers with the capability `view` (roles owner, brand_admin, editor, analyst). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "GET",
    "safetyClass": "database-only",
    "capability": "view",
    "inputSchema": {
      "type": "object",
      "properties": {
        "enrollment_id": {
          "type": "string"
        }
      },
      "required": [
        "enrollment_id"
      ]
    }
  },
  {
    "name": "createSyntheticEnrollment",
    "title": "Enrol a synthetic contact",
    "description": "Enrol a synthetic contact. A rehearsal of this version: emails are simulated, and the other steps change the synthetic contact. Blocked in production. Accepts only archived workspaces whose slug begins with `synthetic-`, and contacts under `.invalid` that are bound to the same rehearsal by `source_metadata.synthetic_context_id`, else 422. 409 while the contact is in the automation, and while the platform automation switch is off. A repeated key returns the original as it is now. The contact moves while the automation is published. Audited.\n\nWho may call it: callers with the capability `edit_automations` (roles owner, brand_admin, editor). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "edit_automations",
    "takesKey": true,
    "inputSchema": {
      "type": "object",
      "properties": {
        "automation_id": {
          "type": "string"
        },
        "version_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/SyntheticEnrollmentRequest"
        },
        "idempotency_key": {
          "type": "string",
          "minLength": 1,
          "maxLength": 200,
          "description": "A new key for each intended action. Send the same key when you repeat that action."
        }
      },
      "required": [
        "automation_id",
        "version_id",
        "body",
        "idempotency_key"
      ],
      "$defs": {
        "SyntheticEnrollmentRequest": {
          "type": "object",
          "required": [
            "contact_id",
            "synthetic_context_id"
          ],
          "properties": {
            "contact_id": {
              "$ref": "#/$defs/Uuid"
            },
            "synthetic_context_id": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        }
      }
    }
  },
  {
    "name": "controlEnrollment",
    "title": "Pause, resume, cancel or replay an enrollment",
    "description": "Pause, resume, cancel or replay an enrollment. Applies to real and synthetic enrollments. A control that does not fit the state is 409. While the platform automation switch is off, every control is 409. `replay` repeats a step as a new one, and is 409 while the contact is in the automation with another enrollment. After a pause or cancellation is answered, no step begins.\n\nWho may call it: callers with the capability `pause_delivery` (roles owner, brand_admin). Safety class `production path`: is part of sending to real recipients, and is refused unless every gate is open.",
    "method": "POST",
    "safetyClass": "production path",
    "capability": "pause_delivery",
    "inputSchema": {
      "type": "object",
      "properties": {
        "enrollment_id": {
          "type": "string"
        },
        "action": {
          "type": "string",
          "enum": [
            "pause",
            "resume",
            "cancel",
            "replay"
          ],
          "description": "Any other value is 404."
        },
        "body": {
          "$ref": "#/$defs/EnrollmentControlRequest"
        }
      },
      "required": [
        "enrollment_id",
        "action"
      ],
      "$defs": {
        "EnrollmentControlRequest": {
          "type": "object",
          "properties": {
            "reason": {
              "type": [
                "string",
                "null"
              ],
              "maxLength": 500,
              "description": "Shown in the timeline."
            },
            "step_id": {
              "type": [
                "string",
                "null"
              ],
              "maxLength": 500,
              "description": "The finished step that `replay` repeats; the failed step if absent."
            }
          }
        }
      }
    }
  },
  {
    "name": "createSendingDomain",
    "title": "Add a sending domain",
    "description": "Add a sending domain. Reads the domain from the provider and stores its DNS records and DKIM selector. Uses the newest active connection of the workspace if none is named. 422 when the provider does not know the name or cannot be reached, or the connection has no credential; 409 when the workspace has the domain already.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin). Safety class `external checks`: asks the mail provider or DNS, and mails nobody.",
    "method": "POST",
    "safetyClass": "external checks",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/SendingDomainRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "SendingDomainRequest": {
          "type": "object",
          "required": [
            "domain_name"
          ],
          "properties": {
            "domain_name": {
              "type": "string",
              "minLength": 1,
              "maxLength": 253
            },
            "tracking_domain": {
              "type": "string",
              "maxLength": 253
            },
            "notes": {
              "type": "string",
              "maxLength": 500
            },
            "provider_connection_id": {
              "$ref": "#/$defs/Uuid"
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        }
      }
    }
  },
  {
    "name": "setSendingDomainReadiness",
    "title": "Set readiness by hand",
    "description": "Set readiness by hand. Sets the given dimensions and leaves the others. Only this operation sets `quota_state`; the next verification sets the others from its results.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "domain_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/DomainReadinessRequest"
        }
      },
      "required": [
        "domain_id",
        "body"
      ],
      "$defs": {
        "DomainReadinessRequest": {
          "type": "object",
          "properties": {
            "verification_state": {
              "$ref": "#/$defs/CheckState"
            },
            "spf_state": {
              "$ref": "#/$defs/CheckState"
            },
            "dkim_state": {
              "$ref": "#/$defs/CheckState"
            },
            "dmarc_state": {
              "$ref": "#/$defs/CheckState"
            },
            "alignment_state": {
              "$ref": "#/$defs/AlignmentState"
            },
            "quota_state": {
              "$ref": "#/$defs/QuotaState"
            },
            "notes": {
              "type": "string",
              "maxLength": 500
            }
          }
        },
        "CheckState": {
          "type": "string",
          "enum": [
            "not_checked",
            "pending",
            "verified",
            "failed"
          ]
        },
        "AlignmentState": {
          "type": "string",
          "enum": [
            "not_checked",
            "aligned",
            "misaligned"
          ]
        },
        "QuotaState": {
          "type": "string",
          "enum": [
            "not_checked",
            "approved",
            "insufficient"
          ]
        }
      }
    }
  },
  {
    "name": "setSendingDomainProvider",
    "title": "Bind a domain to a provider connection",
    "description": "Bind a domain to a provider connection. The next verification compares with the data of this connection.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "domain_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/DomainProviderRequest"
        }
      },
      "required": [
        "domain_id",
        "body"
      ],
      "$defs": {
        "DomainProviderRequest": {
          "type": "object",
          "required": [
            "provider_connection_id",
            "dkim_selector"
          ],
          "properties": {
            "provider_connection_id": {
              "$ref": "#/$defs/Uuid"
            },
            "dkim_selector": {
              "type": "string",
              "minLength": 1,
              "maxLength": 500
            },
            "provider_domain_reference": {
              "type": "string",
              "maxLength": 500
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        }
      }
    }
  },
  {
    "name": "verifySendingDomain",
    "title": "Verify a domain",
    "description": "Verify a domain. Live DNS queries and provider reads, stored as evidence. A domain is ready only when all eight provider events also deliver to the webhook URL of this workspace. 422 when the provider cannot be reached. Sends no email.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin). Safety class `external checks`: asks the mail provider or DNS, and mails nobody.",
    "method": "POST",
    "safetyClass": "external checks",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "domain_id": {
          "type": "string"
        }
      },
      "required": [
        "domain_id"
      ]
    }
  },
  {
    "name": "registerSendingDomainWebhooks",
    "title": "Register the workspace's webhook URL",
    "description": "Register the workspace's webhook URL. Adds the URL to each of the eight events that lacks it and never removes one. Events that already have three URLs are listed in `refused` and not changed. Then verifies. 422 when the domain has no connection or the provider cannot be reached. Sends no email.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin). Safety class `external checks`: asks the mail provider or DNS, and mails nobody.",
    "method": "POST",
    "safetyClass": "external checks",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "domain_id": {
          "type": "string"
        }
      },
      "required": [
        "domain_id"
      ]
    }
  },
  {
    "name": "createSenderIdentity",
    "title": "Create a sender identity",
    "description": "Create a sender identity. Created disabled. The from-address must belong to the domain.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/SenderIdentityRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "SenderIdentityRequest": {
          "type": "object",
          "required": [
            "sending_domain_id",
            "display_name",
            "from_address",
            "reply_to"
          ],
          "properties": {
            "sending_domain_id": {
              "$ref": "#/$defs/Uuid"
            },
            "display_name": {
              "type": "string",
              "minLength": 1,
              "maxLength": 160
            },
            "from_address": {
              "$ref": "#/$defs/EmailAddress"
            },
            "reply_to": {
              "$ref": "#/$defs/EmailAddress"
            }
          }
        },
        "Uuid": {
          "type": "string",
          "format": "uuid",
          "maxLength": 36
        },
        "EmailAddress": {
          "type": "string",
          "minLength": 1,
          "maxLength": 500,
          "format": "email"
        }
      }
    }
  },
  {
    "name": "activateSenderIdentity",
    "title": "Enable a sender identity",
    "description": "Enable a sender identity. The domain must be ready and every global gate open, else 422. Sends nothing itself.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin), who must also be an owner of the workspace or of the platform. Safety class `production path`: is part of sending to real recipients, and is refused unless every gate is open.",
    "method": "POST",
    "safetyClass": "production path",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "sender_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/ActivateProductionSendingRequest"
        }
      },
      "required": [
        "sender_id",
        "body"
      ],
      "$defs": {
        "ActivateProductionSendingRequest": {
          "type": "object",
          "required": [
            "confirmation"
          ],
          "properties": {
            "confirmation": {
              "type": "string",
              "const": "ACTIVATE PRODUCTION SENDING"
            }
          }
        }
      }
    }
  },
  {
    "name": "createProviderConnection",
    "title": "Create a provider connection",
    "description": "Create a provider connection. Refers to its credentials by the names of environment keys; their values are never returned. Created unchecked and inactive.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "body": {
          "$ref": "#/$defs/ProviderConnectionRequest"
        }
      },
      "required": [
        "body"
      ],
      "$defs": {
        "ProviderConnectionRequest": {
          "type": "object",
          "required": [
            "name",
            "credential_env_key"
          ],
          "properties": {
            "name": {
              "type": "string",
              "minLength": 1,
              "maxLength": 160
            },
            "credential_env_key": {
              "$ref": "#/$defs/CredentialEnvKey"
            },
            "region": {
              "type": "string",
              "enum": [
                "us",
                "eu"
              ],
              "description": "`us` if absent."
            },
            "webhook_signing_env_key": {
              "$ref": "#/$defs/CredentialEnvKey"
            }
          }
        },
        "CredentialEnvKey": {
          "type": "string",
          "pattern": "^(MAILPROVIDER|MAILGUN)_[A-Z0-9_]{1,100}$",
          "description": "The name of an environment key of the service. Other names are refused. Must be MAILPROVIDER_ or MAILGUN_, followed by at most 100 capital letters, digits and underscores, such as MAILPROVIDER_API_KEY."
        }
      }
    }
  },
  {
    "name": "checkProviderConnection",
    "title": "Check a provider connection",
    "description": "Check a provider connection. Asks the provider whether the credential works. A refused credential is a normal answer: 200 with `check.ok` false and the state `failed`. Sends no email.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin). Safety class `external checks`: asks the mail provider or DNS, and mails nobody.",
    "method": "POST",
    "safetyClass": "external checks",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "connection_id": {
          "type": "string"
        }
      },
      "required": [
        "connection_id"
      ]
    }
  },
  {
    "name": "activateProviderConnection",
    "title": "Activate a provider connection",
    "description": "Activate a provider connection. Only a verified connection can be activated, else 422.\n\nWho may call it: callers with the capability `manage_senders` (roles owner, brand_admin). Safety class `database-only`: reads or changes the database and contacts nobody outside.",
    "method": "POST",
    "safetyClass": "database-only",
    "capability": "manage_senders",
    "inputSchema": {
      "type": "object",
      "properties": {
        "connection_id": {
          "type": "string"
        },
        "body": {
          "$ref": "#/$defs/ActivateConnectionRequest"
        }
      },
      "required": [
        "connection_id",
        "body"
      ],
      "$defs": {
        "ActivateConnectionRequest": {
          "type": "object",
          "required": [
            "confirmation"
          ],
          "properties": {
            "confirmation": {
              "type": "string",
              "const": "ENABLE TEST CONNECTION"
            }
          }
        }
      }
    }
  }
]
