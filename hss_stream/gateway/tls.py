"""TLS of the gateway, with certificates asked of clients where authorities are named."""

import ssl

from hss_stream.errors import SettingsError
from hss_stream.gateway.options import GatewaySettings


def server_context(settings: GatewaySettings) -> ssl.SSLContext | None:
    """Return how to speak TLS; None where no certificate is set."""
    if settings.tls_cert_file is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(settings.tls_cert_file, settings.tls_key_file)
        if settings.tls_client_ca_file is not None:
            context.load_verify_locations(settings.tls_client_ca_file)
            context.verify_mode = ssl.CERT_REQUIRED
    except OSError as error:
        raise SettingsError(f"reading the gateway's certificates: {error}") from None
    return context
