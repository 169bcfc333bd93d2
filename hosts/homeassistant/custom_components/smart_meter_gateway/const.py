"""Names that several modules of the integration share."""

from logging import Logger, getLogger

DOMAIN = "smart_meter_gateway"
"""The product's name, as in the statistics that the gateway sends itself. It stays when the product is sold under
another name, because entities and statistics would be lost."""
LOGGER: Logger = getLogger(__package__)

CONF_PIN = "pin"
"""Entry data: SHA-256 of the gateway's public key (SubjectPublicKeyInfo), 64 hexadecimal digits."""
CONF_SCOPE = "scope"
CONF_TOKEN_ID = "token_id"
CONF_ALLOW_CONTROL = "allow_control"

SCOPE_READ = "read"
SCOPE_FULL = "full"

TOKEN_NAME = "Home Assistant"
LANGUAGES = ("en", "de", "pl")
"""Languages in which the gateway names its values."""
