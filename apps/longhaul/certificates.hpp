// Certificates on the command line: place writes them, evaluate checks them.
#pragma once

#include <span>
#include <string>

#include "longhaul/placement/check_certificate.hpp"
#include "longhaul/placement/make_certificate.hpp"

namespace longhaul::app {

/// Fails when a certificate cannot be written there.
[[nodiscard]] core::Result<void> check_certifiable(const std::string& path);

/// Makes the certificate of a plan and writes it; warns when it holds less than the plan.
[[nodiscard]] core::Result<void> write_certificate(const std::string& path,
                                                   const placement::Problem& problem,
                                                   const placement::Plan& plan,
                                                   std::span<const int> host_of,
                                                   const placement::CertificateOptions& options);

struct CertificateQuestion {
    std::string certificate;
    std::string fabric;  ///< empty: where the certificate says
    std::uint64_t work = 0;
    bool json = false;
};

/// Checks a certificate and prints the verdict; returns kDone or kNo.
[[nodiscard]] core::Result<int> answer(const CertificateQuestion& question);

}  // namespace longhaul::app
